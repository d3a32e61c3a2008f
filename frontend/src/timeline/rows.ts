/** The turns of a call as rows on one time: 0 is when the person fell silent, or sent what they had written. Pure. */
import type { LoggedDecision, Wait } from '../conversation/conversation';

/** A stretch of a row; `you`, a stage of the wait, or the `answer` as far as it is known: until it was cut. */
export interface Stretch {
  readonly part: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Tick {
  readonly decision: LoggedDecision;
  readonly atMs: number;
}

export interface TurnRow {
  readonly key: string;
  /** Counted from the first turn; 0: no turn, but what was decided before one, or long after. */
  readonly number: number;
  /** How long the person spoke; null: they wrote, or that is not known. */
  readonly spokeMs: number | null;
  /** The answer that was heard, with its stages; null: none was. */
  readonly wait: Wait | null;
  readonly stretches: readonly Stretch[];
  readonly ticks: readonly Tick[];
  /** When the person cut the answer off; null: they let it speak. */
  readonly cutMs: number | null;
}

/** What was heard and is no turn. */
const SOUNDS = ['noise', 'backchannel'];
const LONG_AFTER_MS = 5_000;

/** Oldest first. An answer belongs to the turn before it, unless that one has its own, or the answer is to what was written. */
export function turnRows(decisions: readonly LoggedDecision[], waits: readonly Wait[]): readonly TurnRow[] {
  const told: readonly Told[] = [...decisions.map(ofDecision), ...waits.map(ofWait)];
  const drafts: Draft[] = [];
  for (const next of told.toSorted((one, other) => one.atMs - other.atMs)) {
    const newest = drafts.at(-1);
    if ('wait' in next) {
      const answers = newest?.turn && !newest.wait && next.wait.timings.speechEndToFirstAudioMs !== null;
      const draft = answers ? newest : begin(drafts);
      draft.wait = next.wait;
    } else if (next.decision.what === 'turn') {
      const draft = begin(drafts);
      draft.turn = next.decision;
      draft.decisions.push(next.decision);
    } else {
      const draft = newest && !isApart(next.decision, newest) ? newest : begin(drafts);
      draft.decisions.push(next.decision);
    }
  }
  let turns = 0;
  return drafts.map((draft) => row(draft, draft.turn || draft.wait ? ++turns : 0));
}

/** A sound that has nothing to do with a turn: made in silence, long after the last that is known of it. */
function isApart(decision: LoggedDecision, { turn, wait, decisions }: Draft): boolean {
  if (!turn && !wait) return false;
  if (!SOUNDS.includes(decision.what) || (figure(decision, 'over_agent_ms') ?? 0) > 0) return false;
  const lastMs = Math.max(wait?.timings.atMs ?? 0, decisions.at(-1)?.atMs ?? 0);
  return decision.atMs - lastMs > LONG_AFTER_MS;
}

type Told = { readonly atMs: number } & ({ readonly decision: LoggedDecision } | { readonly wait: Wait });

interface Draft {
  turn: LoggedDecision | null;
  wait: Wait | null;
  readonly decisions: LoggedDecision[];
}

function ofDecision(decision: LoggedDecision): Told {
  return { atMs: decision.atMs, decision };
}

function ofWait(wait: Wait): Told {
  return { atMs: wait.timings.atMs, wait };
}

function begin(drafts: Draft[]): Draft {
  const draft: Draft = { turn: null, wait: null, decisions: [] };
  drafts.push(draft);
  return draft;
}

function row({ turn, wait, decisions }: Draft, number: number): TurnRow {
  const zeroMs = zeroOf(turn, wait) ?? decisions[0]?.atMs ?? 0;
  const spokeMs = turn ? figure(turn, 'sound_ms') : null;
  const cut = decisions.findLast(({ what }) => what === 'interrupted');
  const goesOn = cut && decisions.some(({ what, id }) => what === 'resumed' && id > cut.id);
  const cutMs = cut && !goesOn ? Math.max(cut.atMs - zeroMs, wait?.ms ?? 0) : null;
  return {
    key: decisions[0] ? `decision-${decisions[0].id}` : (wait?.responseId ?? ''),
    number,
    spokeMs,
    wait,
    stretches: stretches(spokeMs, wait, cutMs),
    ticks: decisions.map((decision) => ({ decision, atMs: decision.atMs - zeroMs })),
    cutMs,
  };
}

/** On the agent's clock. */
function zeroOf(turn: LoggedDecision | null, wait: Wait | null): number | null {
  if (wait) return wait.timings.atMs - wait.ms;
  return turn ? turn.atMs - (figure(turn, 'since_pause_ms') ?? 0) : null;
}

function stretches(spokeMs: number | null, wait: Wait | null, cutMs: number | null): readonly Stretch[] {
  const found: Stretch[] = spokeMs === null ? [] : [{ part: 'you', fromMs: -spokeMs, toMs: 0 }];
  if (!wait) return found;
  const stages = wait.timings.stages;
  let fromMs = 0;
  for (const { stage, waitedMs } of stages.length > 0 ? stages : [{ stage: 'whole', waitedMs: wait.ms }]) {
    found.push({ part: stage, fromMs, toMs: fromMs + waitedMs });
    fromMs += waitedMs;
  }
  if (cutMs !== null && cutMs > fromMs) found.push({ part: 'answer', fromMs, toMs: cutMs });
  return found;
}

function figure({ figures }: LoggedDecision, name: string): number | null {
  const value = figures[name];
  return typeof value === 'number' ? value : null;
}

/** The conversation as it is shown: captions of both sides, typed lines, decisions, waits. Pure: `reduce(state, event)`. */
import { type Decision, type Timings, type ToolReport, waitedMs } from '../agent/attributes';
import { linesWhenLeft } from './leaving';

export type Side = 'user' | 'agent';

/**
 * Why a line is not simply what was said: cut by the person, because they left, or to be given anew below; cut off by a
 * lost agent, heard but no turn, not answered because the person went on, or because they left.
 */
export type Mark = 'interrupted' | 'left' | 'anew' | 'lost' | 'aside' | 'unanswered' | 'open';

export interface Line {
  readonly key: string;
  readonly side: Side;
  readonly typed: boolean;
  /** What was said; empty where only a picture was shown. */
  readonly text: string;
  /** A picture was shown with it. */
  readonly picture?: boolean;
  readonly final: boolean;
  readonly mark: Mark | null;
  /** How long the person waited for this answer, in ms. */
  readonly waitedMs: number | null;
  /** ISO 639-1 code of the language that is spoken; absent: not known. */
  readonly lang?: string | undefined;
  /** When it last changed, on the clock of `performance.now()`. */
  readonly touchedMs: number;
}

export interface LoggedDecision extends Decision {
  readonly id: number;
  /** On the clock of `performance.now()`. */
  readonly seenMs: number;
}

export interface Wait {
  readonly responseId: string;
  readonly ms: number;
  readonly timings: Timings;
}

export interface ConversationState {
  /** What was said before the person left and came back. */
  readonly before: readonly Line[];
  readonly lines: readonly Line[];
  readonly decisions: readonly LoggedDecision[];
  readonly waits: readonly Wait[];
  /** Calls of tools as they stand, oldest first. */
  readonly tools: readonly ToolReport[];
  /** The newest wait, while its answer has no line yet. */
  readonly pendingWait: (Wait & { readonly seenMs: number }) | null;
}

export type ConversationEvent = { readonly nowMs: number } & (
  | {
      readonly type: 'text';
      readonly key: string;
      readonly side: Side;
      readonly text: string;
      readonly final: boolean;
      readonly lang?: string | undefined;
    }
  | { readonly type: 'recalled'; readonly lines: readonly Line[] }
  | { readonly type: 'typed'; readonly key: string; readonly text: string; readonly picture?: boolean }
  | { readonly type: 'closed' | 'lost'; readonly key: string }
  | { readonly type: 'decided'; readonly decision: Decision }
  | { readonly type: 'timed'; readonly timings: Timings }
  | { readonly type: 'tool'; readonly tool: ToolReport }
  /** The agent has gone. */
  | { readonly type: 'left' }
  /** The person has gone, or the call has broken off. */
  | { readonly type: 'ended' }
);

export const EMPTY: ConversationState = {
  before: [],
  lines: [],
  decisions: [],
  waits: [],
  tools: [],
  pendingWait: null,
};

/** Decisions and figures speak of a line that changed at most this long ago, or comes within it. Milliseconds. */
const RECENT_MS = 3_000;
/** Of each list: what is said and decided in hours can be saved. */
const KEPT = 2_000;

export function reduce(state: ConversationState, event: ConversationEvent): ConversationState {
  switch (event.type) {
    case 'text':
      return withText(state, event);
    case 'typed': {
      const { key, text, picture, nowMs } = event;
      const line: Line = {
        key,
        side: 'user',
        typed: true,
        text,
        ...(picture && { picture }),
        final: true,
        mark: null,
        waitedMs: null,
        touchedMs: nowMs,
      };
      return { ...state, lines: append(state.lines, line) };
    }
    case 'recalled':
      return { ...state, before: event.lines };
    case 'closed':
      return change(state, event.key, (line) => ({ ...line, final: true, touchedMs: event.nowMs }));
    case 'lost':
      return change(state, event.key, (line) => ({ ...line, final: true, mark: line.mark ?? 'lost' }));
    case 'decided':
      return withDecision(state, event.decision, event.nowMs);
    case 'timed':
      return withTimings(state, event.timings, event.nowMs);
    case 'tool':
      return { ...state, tools: withTool(state.tools, event.tool) };
    case 'left':
      return withoutAgent(state);
    case 'ended':
      return { ...state, lines: linesWhenLeft(state) };
  }
}

function withText(state: ConversationState, event: ConversationEvent & { type: 'text' }): ConversationState {
  const { key, side, text, final, lang, nowMs } = event;
  const known = state.lines.find((line) => line.key === key);
  if (known) {
    if (known.final && !final) return state; // a late interim
    return change(state, key, (line) => ({ ...line, text, final, touchedMs: nowMs }));
  }
  if (!text.trim()) return state;
  const pending = side === 'agent' ? state.pendingWait : null;
  const waited = pending && nowMs - pending.seenMs <= RECENT_MS ? pending.ms : null;
  const line: Line = { key, side, typed: false, text, final, mark: null, waitedMs: waited, lang, touchedMs: nowMs };
  return {
    ...state,
    lines: append(state.lines, line),
    pendingWait: side === 'agent' ? null : state.pendingWait,
  };
}

function withDecision(state: ConversationState, decision: Decision, nowMs: number): ConversationState {
  const last = state.decisions.at(-1);
  if (last && last.atMs === decision.atMs && last.what === decision.what && last.text === decision.text) return state;
  const logged: LoggedDecision = { ...decision, id: (last?.id ?? 0) + 1, seenMs: nowMs };
  const next = { ...state, decisions: append(state.decisions, logged) };
  switch (decision.what) {
    case 'interrupted':
      return markCut({ ...next, pendingWait: null }, decision.reason === 'modality' ? 'anew' : 'interrupted', nowMs);
    case 'continued':
      return markUnanswered({ ...next, pendingWait: null });
    case 'resumed':
      return unmark(next, 'agent', 'interrupted');
    case 'backchannel':
    case 'noise':
      return setAside(next, nowMs);
    case 'turn':
      return unmark(next, 'user', 'aside');
    default:
      return next;
  }
}

function withTimings(state: ConversationState, timings: Timings, nowMs: number): ConversationState {
  const { responseId } = timings;
  const ms = waitedMs(timings);
  if (ms === null || state.waits.some((wait) => wait.responseId === responseId)) return state;
  const next = { ...state, waits: append(state.waits, { responseId, ms, timings }), pendingWait: null };
  const newest = state.lines.at(-1);
  // The figures may come shortly before or after the first words of their answer, and captions name no answer.
  const begun = newest?.side === 'agent' && newest.waitedMs === null && isRecent(newest, nowMs);
  if (begun && state.lines.some((line) => line.side === 'user')) {
    return change(next, newest.key, (line) => ({ ...line, waitedMs: ms }));
  }
  return { ...next, pendingWait: { responseId, ms, timings, seenMs: nowMs } };
}

/** A call that has ended runs no more, whatever comes late. */
function withTool(tools: readonly ToolReport[], tool: ToolReport): readonly ToolReport[] {
  const known = tools.find(({ callId }) => callId === tool.callId);
  if (!known) return append(tools, tool);
  if (tool.state === 'running') return tools;
  return tools.map((each) => (each === known ? tool : each));
}

/** What it was still doing, nobody does any more. */
function withoutAgent(state: ConversationState): ConversationState {
  if (!state.tools.some((tool) => tool.state === 'running')) return state;
  const tools = state.tools.map((tool) => (tool.state === 'running' ? { ...tool, state: 'lost' as const } : tool));
  return { ...state, tools };
}

function markCut(state: ConversationState, mark: Mark, nowMs: number): ConversationState {
  const cut = state.lines.findLast((line) => line.side === 'agent');
  return cut && isRecent(cut, nowMs) ? change(state, cut.key, (line) => ({ ...line, mark })) : state;
}

/** The person has begun to speak though what they asked last was not answered: of what was spoken, that is one turn. */
function markUnanswered(state: ConversationState): ConversationState {
  const asked = state.lines.findLast((line) => line.final || line.side === 'agent');
  return asked?.typed ? change(state, asked.key, (line) => ({ ...line, mark: 'unanswered' })) : state;
}

/** The person's next words may overtake the decision about the last ones: what was decided is a finished line. */
function setAside(state: ConversationState, nowMs: number): ConversationState {
  const sinceAgent = state.lines.slice(state.lines.findLastIndex((line) => line.side === 'agent') + 1);
  const heard = sinceAgent.filter((line) => !line.typed && isRecent(line, nowMs));
  const aside = heard.findLast((line) => line.final) ?? heard.at(-1);
  return aside ? change(state, aside.key, (line) => ({ ...line, mark: 'aside' })) : state;
}

function unmark(state: ConversationState, side: Side, mark: Mark): ConversationState {
  const newest = state.lines.findLast((line) => line.side === side && !line.typed);
  return newest?.mark === mark ? change(state, newest.key, (line) => ({ ...line, mark: null })) : state;
}

function isRecent(line: Line, nowMs: number): boolean {
  return !line.final || nowMs - line.touchedMs <= RECENT_MS;
}

function change(state: ConversationState, key: string, update: (line: Line) => Line): ConversationState {
  return { ...state, lines: state.lines.map((line) => (line.key === key ? update(line) : line)) };
}

function append<T>(list: readonly T[], item: T): readonly T[] {
  return [...list.slice(1 - KEPT), item];
}

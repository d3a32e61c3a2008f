/** Why the agent did what it did, in plain words. Pure. */
import { refusalWords } from '../agent/refusals';
import type { LoggedDecision } from '../conversation/conversation';
import { seconds, sentence } from '../ui/format';
import { words } from '../words/words';

/** A reason that is shown; the same one again and again is shown once. */
export interface Why {
  readonly text: string;
  readonly times: number;
  /** The newest of those that it tells. */
  readonly decision: LoggedDecision;
}

/** Oldest first. That it went on after a nod or a noise is said by what it was already. */
export function whysOf(decisions: readonly LoggedDecision[]): readonly Why[] {
  const told: Why[] = [];
  decisions.forEach((decision, at) => {
    const before = decisions[at - 1]?.what;
    if (decision.what === 'resumed' && (before === 'backchannel' || before === 'noise')) return;
    const text = whyText(decision);
    const last = told.at(-1);
    if (last?.text === text) told[told.length - 1] = { text, times: last.times + 1, decision };
    else told.push({ text, times: 1, decision });
  });
  return told;
}

export function whyText(decision: LoggedDecision): string {
  const { what, reason, text } = decision;
  const { why } = words.timeline;
  switch (what) {
    case 'turn':
      return turnWhy(decision);
    case 'backchannel':
      return number(decision, 'over_agent_ms') ? why.nodOver : why.nod;
    case 'noise':
      return named(why.noise, reason) ?? why.noise.noise;
    case 'silent':
      return named(why.silent, reason) ?? why.silent.model;
    case 'interrupted':
      if (reason === 'modality') return why.anew;
      return reason === 'left' ? why.left : why.interrupted;
    case 'unanswered':
    case 'continued':
    case 'resumed':
      return why[what];
    case 'spoke_up':
      return why.spokeUp(text);
    case 'offer_dropped':
      return why.kept(named(why.offer_dropped, reason) ?? text);
    case 'tool':
      return toolWhy(decision);
    case 'no_tool':
      return why.noTool(text);
    case 'refused':
      return why.refused(refusalWords(text));
    case 'error':
      return why.error(text);
    default:
      return sentence(text) || what;
  }
}

/** Which tool was called, how it ended, and what it took. */
function toolWhy(decision: LoggedDecision): string {
  const { tool } = words.timeline.why;
  const { reason, figures } = decision;
  const told = Object.hasOwn(tool, reason) ? tool[reason as keyof typeof tool] : tool.done;
  return told(String(figures.tool ?? ''), seconds(number(decision, 'tool_ms') ?? 0));
}

/** Both judges of a turn's end have a say: how it sounded, and whether its words are a sentence. */
function turnWhy(decision: LoggedDecision): string {
  const { turn } = words.timeline.why;
  const { reason, figures } = decision;
  if (reason === 'long_speech') return turn.long;
  if (reason === 'unchanged_words') return turn.whole;
  if (reason === 'timeout') return turn.timeout;
  const waitedMs = number(decision, 'since_pause_ms');
  if (waitedMs === null) return turn.plain;
  const bySound = figures.sound_over;
  const byWords = figures.words_over;
  if (bySound === 'yes') {
    return turn.waited(seconds(waitedMs), byWords === 'no' ? turn.soundOnly : turn.finished);
  }
  if (bySound === 'no') {
    return turn.waited(seconds(waitedMs), byWords === 'yes' ? turn.wordsOnly : turn.unfinished);
  }
  return turn.waited(seconds(waitedMs), turn.unknown);
}

function number({ figures }: LoggedDecision, name: string): number | null {
  const figure = figures[name];
  return typeof figure === 'number' ? figure : null;
}

function named(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

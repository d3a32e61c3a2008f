/** Puts into words what the agent does and decides. Pure, but for the language that is shown. */

import { milliseconds } from '../ui/format';
import { words } from '../words/words';
import type { Decision, Figures, Shown } from './attributes';

/** What the person may do, who shows a picture or does not. */
export function listeningHint(unseen: boolean): string {
  return unseen ? words.agent.unseen : words.agent.states.listening.hint;
}

/** What the person may do while they are watched; it says what is seen of them. */
export function watchingHint(shown: Shown | null): string {
  return shown ? words.agent.watches[shown] : words.agent.states.watching.hint;
}

/** An answer that takes longer is late on any machine that is not overloaded. Seconds. */
const LONG_S = 6;

/** What the person waits for, and for how long by now. */
export function thinkingHint(seconds: number, typed = false): string {
  if (seconds >= LONG_S) return words.agent.slow(seconds);
  const hint = typed ? words.agent.typed : words.agent.states.thinking.hint;
  return seconds > 0 ? words.agent.waited(hint, seconds) : hint;
}

/** What was waited for in a stage of a turn; that of a pipeline not known here has its own name. */
export function stageWords(stage: string): string {
  return words.agent.stages[stage] ?? stage;
}

/** When something happened in a turn; what a pipeline names that is not known here has its own name. */
export function momentWords(name: string, time: string): string {
  return `${words.agent.moments[name] ?? name} ${time}`;
}

/** The numbers behind a decision, in words; a figure that is not known here has its own name. */
export function figureWords(figures: Figures): readonly string[] {
  return Object.entries(figures)
    .filter(([name, figure]) => !(name === 'over_agent_ms' && figure === 0))
    .map(([name, figure]) => {
      const told = words.agent.figures[name];
      const judged = words.agent.judgements[`${name}.${figure}`];
      if (judged) return judged;
      return told && typeof figure === 'number' ? told(milliseconds(figure)) : `${name} ${figure}`;
    });
}

/** Why it was decided: in the language of the page where it has words for that, else as the agent told it. */
export function decisionReason({ what, reason, text }: Pick<Decision, 'what' | 'reason' | 'text'>): string {
  return words.agent.reasons[`${what}.${reason}`] ?? text;
}

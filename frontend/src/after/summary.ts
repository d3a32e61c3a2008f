/** What a call comes to in figures. Pure, but for the language that is shown. */
import type { ConversationState } from '../conversation/conversation';
import { duration, seconds } from '../ui/format';

export interface CallSummary {
  /** What the person said or wrote that was meant for the agent. */
  readonly turns: number;
  /** Null: nobody has waited for an answer. */
  readonly medianWaitMs: number | null;
}

export function summaryOf({ lines, waits }: Pick<ConversationState, 'lines' | 'waits'>): CallSummary {
  const turns = lines.filter(({ side, mark }) => side === 'user' && mark !== 'aside').length;
  return { turns, medianWaitMs: median(waits.map(({ ms }) => ms)) };
}

export interface Figure {
  readonly what: 'duration' | 'turns' | 'median';
  /** As people read it. */
  readonly value: string;
}

/** What is worth showing: none that is nothing. */
export function figuresOf(durationMs: number, { turns, medianWaitMs }: CallSummary): readonly Figure[] {
  const figures: Figure[] = [];
  if (durationMs >= 1000) figures.push({ what: 'duration', value: duration(durationMs) });
  if (turns > 0) figures.push({ what: 'turns', value: String(turns) });
  if (medianWaitMs !== null) figures.push({ what: 'median', value: seconds(medianWaitMs) });
  return figures;
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

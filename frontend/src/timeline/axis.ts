/** The one axis on which all turns are drawn, from before the person fell silent until after the longest wait. Pure. */
import type { TurnRow } from './rows';

export interface Axis {
  /** Milliseconds; 0 is the end of what the person said. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The moments that are named, in milliseconds. */
  readonly marksMs: readonly number[];
}

/** The least that is drawn behind 0: short waits all look short. */
const LEAST_MS = 3_000;
/** Of the whole axis, for what was said: of a long sentence only its end is drawn. */
const MOST_SPOKEN = 0.3;
const STEPS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 300_000] as const;
const MOST_MARKS = 5;

export function axisOf(rows: readonly TurnRow[]): Axis {
  const toMs = Math.max(LEAST_MS, ...rows.map(({ wait }) => wait?.ms ?? 0));
  const spokeMs = Math.max(0, ...rows.map((row) => row.spokeMs ?? 0));
  const fromMs = 0 - Math.min(spokeMs, (toMs * MOST_SPOKEN) / (1 - MOST_SPOKEN));
  const step = STEPS_MS.find((each) => toMs / each < MOST_MARKS) ?? toMs;
  const marksMs = Array.from({ length: Math.floor(toMs / step) + 1 }, (_, at) => at * step);
  return { fromMs, toMs, marksMs };
}

/** Where a moment lies, 0 to 100; what is beyond the axis lies at its end. */
export function percent({ fromMs, toMs }: Axis, ms: number): number {
  const share = (ms - fromMs) / (toMs - fromMs);
  return Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100;
}

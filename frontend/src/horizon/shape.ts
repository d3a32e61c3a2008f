/** The shape of the horizon: the agent's voice rises above the line, the person's hangs below it. Pure. */
import type { AgentState } from '../agent/attributes';

/** Heights between 0 and 1, left to right. */
export interface Shape {
  readonly above: readonly number[];
  readonly below: readonly number[];
}

/** Loudness bands of a voice become bars: the lowest band in the middle, the highest at both ends. */
export function voiceBars(bands: readonly number[], count: number): number[] {
  const middle = (count - 1) / 2;
  return Array.from({ length: count }, (_, bar) => {
    const outward = Math.abs(bar - middle) / (middle + 1);
    const at = outward * (bands.length - 1);
    const low = bands[Math.floor(at)] ?? 0;
    const high = bands[Math.ceil(at)] ?? low;
    return (low + (high - low) * (at % 1)) * Math.cos((outward * Math.PI) / 2) ** 0.8;
  });
}

/** What the line does by itself, `seconds` into the call: breathing, a travelling thought, a widening gaze. */
export function restingBars(state: AgentState, count: number, seconds: number): Shape {
  const draw = (height: (x: number) => number) => Array.from({ length: count }, (_, bar) => height(bar / (count - 1)));
  const flat = draw(() => 0);
  switch (state) {
    case 'listening':
      return { above: flat, below: draw((x) => 0.05 * bell(x, 0.5, 0.18) * (1 + Math.sin(seconds * 1.8))) };
    case 'thinking':
      return { above: draw((x) => 0.3 * bell(x, pingPong(seconds / 1.6), 0.06)), below: flat };
    case 'watching': {
      const reach = 0.1 + 0.1 * (1 + Math.sin(seconds * 1.2));
      const gaze = draw((x) => 0.16 * (bell(x, 0.5 - reach, 0.04) + bell(x, 0.5 + reach, 0.04)));
      return { above: gaze, below: flat };
    }
    case 'absent':
    case 'preparing':
      return { above: draw((x) => 0.08 * bell(x, (seconds / 2.4) % 1, 0.1)), below: flat };
    default:
      return { above: flat, below: flat };
  }
}

/** Rises at once, falls gently. */
export function settle(shown: readonly number[], wanted: readonly number[], fall = 0.25): number[] {
  return wanted.map((want, bar) => {
    const now = shown[bar] ?? 0;
    return want > now ? want : now + (want - now) * fall;
  });
}

export function highest(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, bar) => Math.max(value, b[bar] ?? 0));
}

function bell(x: number, centre: number, width: number): number {
  return Math.exp(-(((x - centre) / width) ** 2) / 2);
}

/** There and back between 0.15 and 0.85, easing at the ends. */
function pingPong(turns: number): number {
  return 0.5 - 0.35 * Math.cos(turns * Math.PI);
}

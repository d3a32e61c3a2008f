import { expect, it } from 'vitest';
import { nextGate, SHUT } from './voiceGate';

/** Whether the gate is open after each level, 40 ms apart. */
function gated(levels: readonly number[]): boolean[] {
  let gate = SHUT;
  return levels.map((level, at) => {
    gate = nextGate(gate, level, at * 40);
    return gate.open;
  });
}

const times = (count: number, level: number) => Array<number>(count).fill(level);

it('opens for a syllable and not for a click or for the noise of a room', () => {
  expect(gated(times(4, 0.5))).toEqual([false, false, false, true]);
  expect(gated([...times(2, 0.9), ...times(20, 0)])).not.toContain(true);
  expect(gated(times(100, 0.2))).not.toContain(true);
});

it('stays open between words, and shuts 0.7 s after the last', () => {
  const spoken = [...times(10, 0.6), ...times(15, 0), ...times(5, 0.6), ...times(30, 0)];
  const open = gated(spoken);
  expect(open.slice(4, 30)).not.toContain(false);
  expect(open.indexOf(false, 5)).toBe(30 + 18); // the first silent level at which 700 ms have passed
});

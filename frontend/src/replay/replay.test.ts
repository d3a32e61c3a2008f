import { expect, it } from 'vitest';
import { replay, TIMELINE } from './exampleReplay.test.data';
import { handedOver, handOver } from './handOver';
import { outline, peaksOf } from './peaks';
import { heardAt, readReplay, until } from './replay';

it('reads what was said in the order in which it was heard', () => {
  expect(
    replay().lines.map(({ line, fromMs, untilMs }) => [line.side, line.typed, line.mark, fromMs, untilMs]),
  ).toEqual([
    ['user', false, null, 1_500, 2_600],
    ['agent', false, 'interrupted', 4_000, 6_000],
    ['user', true, null, 7_000, 7_000],
  ]);
});

it.each([[null], ['text'], [{}], [{ ...TIMELINE, version: 2 }], [{ ...TIMELINE, items: null }]])(
  'takes nothing else for a timeline',
  (body) => {
    expect(readReplay(body)).toBeNull();
  },
);

it('lasts to the end of what is in it while the call does', () => {
  expect(replay({ ms: null }).ms).toBe(7_000);
});

it('knows at each moment what was decided and timed by then, and how each tool stood', () => {
  const at = (ms: number) => {
    const { decisions, waits, tools } = until(replay(), ms);
    return [decisions.length, waits.length, tools.map(({ state }) => state)];
  };
  expect(at(2_999)).toEqual([0, 0, []]);
  expect(at(3_100)).toEqual([1, 0, ['running']]);
  expect(at(9_000)).toEqual([2, 1, ['done']]);
});

it('finds the line that is heard, and none in a silence', () => {
  const { lines } = replay();
  const sides = [1_499, 1_500, 2_600, 4_000, 5_999, 6_000].map((ms) => heardAt(lines, ms));
  expect(sides).toEqual([null, 'item-1', null, 'item-0', 'item-0', null]);
});

it('draws of each column the loudest sample', () => {
  expect(peaksOf(Float32Array.of(0, 0.5, -1, 0.25), 2)).toEqual([0.5, 1]);
  expect(peaksOf(Float32Array.of(), 2)).toEqual([0, 0]);
  expect(outline([0, 0.5], 25, 20)).toBe('M0,25L1,15L1,35L0,25Z');
});

it('hands the token to the tab that is opened, in no address', () => {
  const values = new Map<string, string>();
  const tab = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
  expect(handedOver(tab)).toBeNull();
  handOver(tab, 'secret');
  expect(handedOver(tab)).toBe('secret');
});

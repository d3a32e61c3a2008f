import { expect, it } from 'vitest';
import { axisOf, percent } from './axis';
import type { TurnRow } from './rows';

function row(spokeMs: number | null, ms: number | null): TurnRow {
  const timings = {
    responseId: 'r',
    speechEndToFirstAudioMs: ms,
    createToFirstAudioMs: ms,
    atMs: 0,
    stages: [],
    moments: [],
  };
  const wait = ms === null ? null : { responseId: 'r', ms, timings };
  return { key: 'r', number: 1, spokeMs, wait, stretches: [], ticks: [], cutMs: null };
}

it('reaches from the longest sentence to the longest wait, and is no shorter than three seconds', () => {
  expect(axisOf([row(800, 600), row(500, 900)])).toEqual({
    fromMs: -800,
    toMs: 3_000,
    marksMs: [0, 1_000, 2_000, 3_000],
  });
  expect(axisOf([row(null, 8_000)])).toEqual({ fromMs: 0, toMs: 8_000, marksMs: [0, 2_000, 4_000, 6_000, 8_000] });
});

it('gives a long speech three tenths of its length at most', () => {
  const { fromMs, toMs } = axisOf([row(60_000, 7_000)]);
  expect(-fromMs / (toMs - fromMs)).toBeCloseTo(0.3);
});

it('names five moments at most, however long the wait', () => {
  for (const ms of [3_000, 4_999, 5_000, 12_000, 34_000, 90_000, 600_000]) {
    expect(axisOf([row(0, ms)]).marksMs.length).toBeLessThanOrEqual(5);
  }
});

it('lays what is beyond the axis at its ends', () => {
  const axis = { fromMs: -1_000, toMs: 3_000, marksMs: [] };
  expect([-5_000, -1_000, 1_000, 3_000, 9_000].map((ms) => percent(axis, ms))).toEqual([0, 0, 50, 100, 100]);
});

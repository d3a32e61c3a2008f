import { expect, it } from 'vitest';
import type { Figures } from '../agent/attributes';
import type { LoggedDecision, Wait } from '../conversation/conversation';
import { turnRows } from './rows';

let ids = 0;

function decision(atMs: number, what: string, figures: Figures = {}): LoggedDecision {
  ids += 1;
  return { id: ids, seenMs: 0, atMs, what, reason: '', text: '', figures };
}

function wait(atMs: number, ms: number, stages: Readonly<Record<string, number>> = {}, written = false): Wait {
  const parts = Object.entries(stages).map(([stage, waitedMs]) => ({ stage, waitedMs, tookMs: null }));
  const speechEndToFirstAudioMs = written ? null : ms;
  const timings = {
    responseId: `r${atMs}`,
    speechEndToFirstAudioMs,
    createToFirstAudioMs: ms,
    atMs,
    stages: parts,
    moments: [],
  };
  return { responseId: timings.responseId, ms, timings };
}

const SPOKEN = { sound_ms: 900, since_pause_ms: 400 };

it('lays what was said before 0, and the stages of the wait behind it', () => {
  const [row] = turnRows([decision(5_400, 'turn', SPOKEN)], [wait(6_000, 1_000, { endpointing: 400, aura: 600 })]);
  expect(row?.stretches).toEqual([
    { part: 'you', fromMs: -900, toMs: 0 },
    { part: 'endpointing', fromMs: 0, toMs: 400 },
    { part: 'aura', fromMs: 400, toMs: 1_000 },
  ]);
  expect(row?.ticks.map(({ atMs }) => atMs)).toEqual([400]);
  expect([row?.number, row?.spokeMs, row?.cutMs]).toEqual([1, 900, null]);
});

it('draws an answer until the person cut it off, and no cut where the answer went on', () => {
  const asked = decision(1_000, 'turn', SPOKEN);
  const heard = wait(1_600, 1_000);
  const [cut] = turnRows([asked, decision(3_600, 'interrupted')], [heard]);
  expect(cut?.cutMs).toBe(3_000);
  expect(cut?.stretches.at(-1)).toEqual({ part: 'answer', fromMs: 1_000, toMs: 3_000 });
  const [nod] = turnRows([asked, decision(3_600, 'interrupted'), decision(3_800, 'resumed')], [heard]);
  expect(nod?.cutMs).toBeNull();
});

it('begins a row at each turn, and at each answer to what was written', () => {
  const rows = turnRows(
    [decision(1_000, 'turn', SPOKEN), decision(9_000, 'turn', SPOKEN), decision(9_500, 'silent')],
    [wait(1_600, 1_000), wait(5_000, 700, {}, true)],
  );
  expect(rows.map(({ wait: heard, ticks }) => [heard?.ms ?? null, ticks.map((tick) => tick.decision.what)])).toEqual([
    [1_000, ['turn']],
    [700, []],
    [null, ['turn', 'silent']],
  ]);
});

it('gives no spoken turn the answer to what was written meanwhile', () => {
  const rows = turnRows([decision(1_000, 'turn', SPOKEN)], [wait(2_000, 500, {}, true)]);
  expect(rows.map((row) => [row.spokeMs, row.wait?.ms])).toEqual([
    [900, undefined],
    [null, 500],
  ]);
});

it('keeps what was decided before the first turn in a row that counts as none', () => {
  const rows = turnRows([decision(300, 'noise'), decision(5_000, 'turn', SPOKEN)], []);
  expect(rows.map(({ number }) => number)).toEqual([0, 1]);
  expect(rows[0]?.stretches).toEqual([]);
});

it('gives a sound in the silence long after a turn to none', () => {
  const turn = decision(1_000, 'turn', SPOKEN);
  const heard = wait(1_600, 1_000);
  const rows = (...more: LoggedDecision[]) => turnRows([turn, ...more], [heard]).map(({ number }) => number);
  expect(rows(decision(90_000, 'noise', { over_agent_ms: 0 }), decision(120_000, 'turn', SPOKEN))).toEqual([1, 0, 2]);
  expect(rows(decision(90_000, 'backchannel'), decision(90_400, 'noise'))).toEqual([1, 0]);
  expect(rows(decision(20_000, 'noise', { over_agent_ms: 200 }))).toEqual([1]);
  expect(rows(decision(4_000, 'noise'))).toEqual([1]);
  expect(rows(decision(90_000, 'interrupted'))).toEqual([1]);
});

it('gives such a sound to no written turn either', () => {
  const [written, apart] = turnRows([decision(60_000, 'noise')], [wait(5_000, 700, {}, true)]);
  expect([written?.ticks, apart?.number]).toEqual([[], 0]);
});

it('is empty while nothing has happened', () => {
  expect(turnRows([], [])).toEqual([]);
});

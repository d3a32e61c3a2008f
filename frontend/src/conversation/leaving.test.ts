import { expect, it } from 'vitest';
import { EMPTY, type Line, type LoggedDecision, reduce } from './conversation';
import { linesWhenLeft } from './leaving';

const line = (side: Line['side'], more: Partial<Line> = {}): Line => ({
  key: side,
  side,
  typed: false,
  text: 'Well',
  final: true,
  mark: null,
  waitedMs: null,
  touchedMs: 1_000,
  ...more,
});
const silent = (seenMs: number): LoggedDecision => ({
  id: 1,
  seenMs,
  atMs: 0,
  what: 'silent',
  reason: 'model',
  text: '',
  figures: {},
});
const works = { callId: 'a', name: 'look', given: '', state: 'running', ms: 0, result: '' } as const;
const marks = (lines: readonly Line[], more = {}) =>
  linesWhenLeft({ ...EMPTY, lines, ...more }).map(({ mark }) => mark);

it('marks the answer that the person did not hear out', () => {
  expect(marks([line('user'), line('agent', { final: false })])).toEqual([null, 'left']);
  expect(marks([line('user'), line('agent')])).toEqual([null, null]);
  expect(marks([line('user'), line('agent', { final: false, mark: 'interrupted' })])).toEqual([null, 'interrupted']);
});

it('marks a question without an answer, unless the agent chose to say nothing', () => {
  expect(marks([line('agent'), line('user')])).toEqual([null, 'open']);
  expect(marks([line('user'), line('user', { mark: 'aside' })])).toEqual(['open', 'aside']);
  expect(marks([line('user')], { decisions: [silent(2_000)] })).toEqual([null]);
  expect(marks([line('user')], { decisions: [silent(500)] })).toEqual(['open']);
  expect(marks([line('user', { final: false })])).toEqual([null]);
});

it('marks a question for which a tool still works', () => {
  const lines = [line('user'), line('agent')];
  expect(marks(lines, { tools: [works] })).toEqual(['open', null]);
  expect(marks(lines, { tools: [{ ...works, state: 'done' }] })).toEqual([null, null]);
});

it('leaves nothing open that was asked if the agent ends the call: it has said goodbye', () => {
  const ends = { ...works, name: 'end_call' };
  expect(marks([line('user'), line('agent')], { tools: [ends] })).toEqual([null, null]);
});

it('is told to the conversation when it ends, and once is enough', () => {
  const state = reduce({ ...EMPTY, lines: [line('user')] }, { type: 'ended', nowMs: 0 });
  expect(state.lines.map(({ mark }) => mark)).toEqual(['open']);
  expect(linesWhenLeft(state)).toEqual(state.lines);
});

import { expect, it } from 'vitest';
import { EMPTY, type Line, type Mark, reduce, type Wait } from '../conversation/conversation';
import { figuresOf, summaryOf } from './summary';
import { transcriptText } from './transcript';

function line(side: Line['side'], text: string, more: Partial<Line> = {}): Line {
  return { key: text, side, text, typed: false, final: true, mark: null, waitedMs: null, touchedMs: 0, ...more };
}

function waited(...all: number[]): Wait[] {
  return all.map((ms) => ({ responseId: `r${ms}`, ms }) as Wait);
}

it('counts what was meant for the agent, and nothing that was set aside', () => {
  const marks: (Mark | null)[] = [null, 'aside', 'unanswered'];
  const lines = [line('agent', 'Hello.'), ...marks.map((mark, at) => line('user', `u${at}`, { mark }))];
  expect(summaryOf({ lines, waits: [] })).toEqual({ turns: 2, medianWaitMs: null });
});

it('counts and keeps a long call from its beginning', () => {
  const typed = Array.from(
    { length: 300 },
    (_, at) => ({ type: 'typed', key: `${at}`, text: `Line ${at}.`, nowMs: at }) as const,
  );
  const long = typed.reduce(reduce, EMPTY);
  expect(summaryOf(long).turns).toBe(300);
  expect(transcriptText('A call', [], long.lines)).toContain('You: Line 0.');
});

it('takes the wait in the middle: one slow answer says little', () => {
  expect(summaryOf({ lines: [], waits: waited(900, 400, 30_000) }).medianWaitMs).toBe(900);
  expect(summaryOf({ lines: [], waits: waited(1_000, 400) }).medianWaitMs).toBe(700);
});

it('shows no figure that is nothing', () => {
  expect(figuresOf(400, { turns: 0, medianWaitMs: null })).toEqual([]);
  expect(figuresOf(61_000, { turns: 3, medianWaitMs: 720 }).map(({ value }) => value)).toEqual([
    '1 min 1 s',
    '3',
    '0.7 s',
  ]);
});

it('writes a call as text, with what was not simply said', () => {
  const said = [
    line('user', 'Where is Rome?', { typed: true }),
    line('agent', 'In Italy, which ', { mark: 'interrupted' }),
  ];
  expect(transcriptText('A call', [line('agent', 'Hello.')], said)).toBe(
    'A call\n\n— Earlier —\nAURA: Hello.\n—\nYou: Where is Rome? (typed)\nAURA: In Italy, which (cut off)\n',
  );
  expect(transcriptText('A call', [], [])).toBe('A call\n\n');
});

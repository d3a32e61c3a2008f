import { expect, it } from 'vitest';
import { EMPTY, type Line, reduce } from './conversation';
import { forgetLines, keepLines, keptLines } from './keptLines';

const HERE = { room: 'hall', identity: 'p-1' };

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

function line(key: string, text: string): Line {
  return { key, side: 'agent', typed: false, text, final: false, mark: null, waitedMs: null, touchedMs: 0 };
}

it('gives the captions back to who returns to the same call, and to nobody else', () => {
  const tab = memory();
  expect(keptLines(tab, HERE)).toEqual([]);
  keepLines(tab, HERE, [line('a', 'Paris.')]);
  expect(keptLines(tab, HERE)).toEqual([{ ...line('a', 'Paris.'), final: true }]);
  expect(keptLines(tab, { room: 'hall', identity: 'p-2' })).toEqual([]);
});

it('forgets them when it is told to', () => {
  const tab = memory();
  keepLines(tab, HERE, [line('a', 'Paris.')]);
  forgetLines(tab);
  expect(keptLines(tab, HERE)).toEqual([]);
});

it('keeps so much and no more', () => {
  const tab = memory();
  keepLines(
    tab,
    HERE,
    Array.from({ length: 60 }, (_, at) => line(String(at), 'x'.repeat(9_999))),
  );
  const kept = keptLines(tab, HERE);
  expect(kept.map(({ key }) => key)).toEqual(Array.from({ length: 50 }, (_, at) => String(at + 10)));
  expect(kept[0]?.text.length).toBe(2_000);
});

it('takes what it cannot read for nothing', () => {
  for (const text of ['{', 'null', '{"of": "[\\"hall\\",\\"p-1\\"]", "lines": [{"key": 1}]}']) {
    expect(keptLines({ ...memory(), getItem: () => text }, HERE)).toEqual([]);
  }
});

it('stands apart from the new conversation', () => {
  const before = [line('a', 'Paris.')];
  const { lines, before: shown } = reduce(EMPTY, { type: 'recalled', lines: before, nowMs: 0 });
  expect([lines, shown]).toEqual([[], before]);
});

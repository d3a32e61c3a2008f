import { afterEach, expect, it, vi } from 'vitest';
import { keepDraft, keptDraft } from '../call/draft';
import { keepLines, keptLines } from '../conversation/keptLines';
import { handedOver, handOver } from '../replay/handOver';
import { recall, remember } from '../session/returning';
import { usable } from '../storage/storage';
import { forgetAll } from './forgetAll';

afterEach(() => {
  vi.unstubAllGlobals();
});

const PLACE = { room: 'aura-1', identity: 'ann' };
const LINE = { key: 'a', side: 'agent', typed: false, text: 'Hello.', final: true, mark: null } as const;

function answering(status: number) {
  const asked = vi.fn(async (_address: string, _asked: RequestInit) => new Response(null, { status }));
  vi.stubGlobal('fetch', asked);
  const tab = usable(() => {
    throw new Error('in memory');
  });
  keepLines(tab, PLACE, [{ ...LINE, waitedMs: null, touchedMs: 0 }]);
  remember(tab, PLACE, 0);
  keepDraft(tab, 'And');
  return { asked, left: () => [keptLines(tab, PLACE).length, recall(tab, 1) !== null, keptDraft(tab)], tab };
}

it('deletes the record, and forgets what the browser kept', async () => {
  const { asked, left, tab } = answering(204);
  expect(await forgetAll('secret', tab)).toBe(true);
  expect(asked.mock.calls.map(([address, { method }]) => [address, method])).toEqual([['/api/record', 'DELETE']]);
  expect(left()).toEqual([0, false, '']);
});

it('forgets nothing while the record is there still, so that it can be tried again', async () => {
  const { left, tab } = answering(500);
  expect(await forgetAll('secret', tab)).toBe(false);
  expect(left()).toEqual([1, true, 'And']);
});

it('asks nobody where calls are not recorded', async () => {
  const { asked, left, tab } = answering(500);
  expect(await forgetAll(null, tab)).toBe(true);
  expect(asked).not.toHaveBeenCalled();
  expect(left()).toEqual([0, false, '']);
});

it('keeps no token of a record that was played', async () => {
  const { tab } = answering(204);
  handOver(tab, 'secret');
  await forgetAll('secret', tab);
  expect(handedOver(tab)).toBeNull();
});

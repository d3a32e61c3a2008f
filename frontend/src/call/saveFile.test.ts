import { afterEach, expect, it, vi } from 'vitest';
import { saveFile } from './saveFile';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('keeps the address of a file until a browser that begins late has fetched it, and no longer', () => {
  vi.useFakeTimers();
  const link = { href: '', download: '', click: vi.fn() };
  vi.stubGlobal('document', { createElement: () => link });
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:a');
  const revoked = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue();
  saveFile('call.txt', 'Hello.', 'text/plain');
  expect([link.download, link.click.mock.calls.length, revoked.mock.calls]).toEqual(['call.txt', 1, []]);
  vi.advanceTimersByTime(60_000);
  expect(revoked.mock.calls).toEqual([['blob:a']]);
});

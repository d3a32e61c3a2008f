import { afterEach, expect, it, vi } from 'vitest';
import { deleteRecord, fetchSound, fetchTimeline } from './record';

afterEach(() => {
  vi.unstubAllGlobals();
});

function answering(status: number, body = '') {
  const asked = vi.fn(async (_address: string, _asked: RequestInit) => new Response(body || null, { status }));
  vi.stubGlobal('fetch', asked);
  return asked;
}

it('shows the token of the call, and nothing in the address', async () => {
  const asked = answering(200, 'OggS');
  expect(await (await fetchSound('secret'))?.text()).toBe('OggS');
  const [address, request] = asked.mock.calls[0] ?? [];
  expect(address).toBe('/api/record/sound');
  expect(request).toMatchObject({ method: 'GET', headers: { Authorization: 'Bearer secret' } });
});

it.each([
  [204, true],
  [404, true],
  [401, false],
  [500, false],
])('holds a record for gone by what the server says: %d', async (status, gone) => {
  const asked = answering(status);
  expect(await deleteRecord('secret')).toBe(gone);
  expect(asked.mock.calls[0]?.[1]?.method).toBe('DELETE');
});

it('has nothing where the server refuses, is away, or says something else', async () => {
  answering(404, '{"error": {}}');
  expect([await fetchSound('t'), await fetchTimeline('t')]).toEqual([null, null]);
  answering(200, 'no JSON');
  expect(await fetchTimeline('t')).toBeNull();
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('away')));
  expect([await fetchSound('t'), await fetchTimeline('t'), await deleteRecord('t')]).toEqual([null, null, false]);
});

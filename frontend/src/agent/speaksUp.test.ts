import { expect, it } from 'vitest';
import { readSpeaksUp, SPEAKS_UP, speaksUpHint } from './speaksUp';

it('reads of the persona whether the agent speaks up, and nothing from what does not say', () => {
  expect(readSpeaksUp({ 'aura.persona': '{"name": "Aura", "proactive": true}' })).toBe(true);
  expect(readSpeaksUp({ 'aura.persona': '{"name": "Aura", "proactive": false}' })).toBe(false);
  for (const text of ['', '{', '[]', 'null', '"proactive"', '{"name": "Aura"}', '{"proactive": "yes"}']) {
    expect(readSpeaksUp({ 'aura.persona': text })).toBeNull();
  }
  expect(readSpeaksUp({})).toBeNull();
});

it('promises nothing of what a pipeline without eyes would see', () => {
  expect(speaksUpHint(true, true)).toBe(SPEAKS_UP.on);
  expect(speaksUpHint(true, null)).toBe(SPEAKS_UP.on);
  expect(speaksUpHint(true, false)).toBe(SPEAKS_UP.blind);
  expect(speaksUpHint(false, true)).toBe(SPEAKS_UP.off);
});

import { expect, it } from 'vitest';
import { readSpeaksUp } from './speaksUp';

it('reads of the persona whether the agent speaks up, and nothing from what does not say', () => {
  expect(readSpeaksUp({ 'aura.persona': '{"name": "Aura", "proactive": true}' })).toBe(true);
  expect(readSpeaksUp({ 'aura.persona': '{"name": "Aura", "proactive": false}' })).toBe(false);
  for (const text of ['', '{', '[]', 'null', '"proactive"', '{"name": "Aura"}', '{"proactive": "yes"}']) {
    expect(readSpeaksUp({ 'aura.persona': text })).toBeNull();
  }
  expect(readSpeaksUp({})).toBeNull();
});

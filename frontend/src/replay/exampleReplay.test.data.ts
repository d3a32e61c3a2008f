/** A record for tests. */
import { type Replay, readReplay } from './replay';

export const TIMELINE = {
  version: 1,
  room: 'aura-1',
  began: '2026-11-23T19:58:00.000+00:00',
  ms: 9_000,
  items: [
    { line: 'item', at_ms: 6_000, who: 'agent', text: 'It is noon.', from_ms: 4_000, until_ms: 6_000, cut: true },
    {
      line: 'item',
      at_ms: 3_500,
      who: 'person',
      text: 'What time is it?',
      from_ms: 1_500,
      until_ms: 2_600,
      cut: false,
    },
    { line: 'item', at_ms: 7_000, who: 'person', text: 'Thanks', from_ms: null, until_ms: null, cut: false },
    { line: 'item', at_ms: 7_100, who: 'somebody', text: 'unknown' },
  ],
  decisions: [
    { at_ms: 3_000, what: 'turn', reason: 'words', text: '', figures: { sound_ms: 1_100 } },
    { at_ms: 5_900, what: 'interrupted', reason: '', text: '', figures: {} },
    { nothing: true },
  ],
  timings: [{ at_ms: 4_000, response_id: 'r', speech_end_to_first_audio_ms: 1_400, waited_ms: { aura: 1_400 } }],
  tools: [
    { at_ms: 3_100, call_id: 'c', name: 'current_time', state: 'running', ms: 0 },
    { at_ms: 3_600, call_id: 'c', name: 'current_time', state: 'done', ms: 500 },
  ],
};

export function replay(change: object = {}): Replay {
  const read = readReplay({ ...TIMELINE, ...change });
  if (!read) throw new Error('unreadable');
  return read;
}

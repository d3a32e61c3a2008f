import { expect, it } from 'vitest';
import { readDecision, readTimings } from '../agent/attributes';
import { type ConversationEvent, EMPTY, type Line, reduce } from '../conversation/conversation';
import { callExport, exportName } from './callExport';

const DECISION = { at_ms: 12, what: 'noise', reason: 'no_words', text: 'no words', figures: { sound_ms: 410 } };
const TIMINGS = {
  at_ms: 900,
  response_id: 'r',
  speech_end_to_first_audio_ms: 800,
  create_to_first_audio_ms: 200,
  waited_ms: { endpointing: 500, aura: 300 },
  took_ms: { aura: 350 },
  moments_ms: { speech_end: -10, asked: 500, played: 800 },
};
const EARLIER: Line = {
  key: 'e',
  side: 'agent',
  typed: false,
  text: 'Hello.',
  final: true,
  mark: 'lost',
  waitedMs: null,
  touchedMs: 0,
};

type Told = ConversationEvent extends infer E ? (E extends unknown ? Omit<E, 'nowMs'> : never) : never;

function played(...events: Told[]) {
  return events.reduce((state, event) => reduce(state, { ...event, nowMs: 1 } as ConversationEvent), EMPTY);
}

it('saves decisions and timings as the agent has told them, and marks what was said', () => {
  const decision = readDecision({ 'aura.decision': JSON.stringify(DECISION) });
  const timings = readTimings({ 'aura.timings': JSON.stringify(TIMINGS) });
  if (!decision || !timings) throw new Error('unreadable');
  const call = played(
    { type: 'recalled', lines: [EARLIER] },
    { type: 'typed', key: 't', text: 'Where is Rome?' },
    { type: 'decided', decision },
    { type: 'timed', timings },
  );
  const saved = JSON.parse(JSON.stringify(callExport(call, 'hall', '2026-01-02T03:04:05.678Z')));
  expect([saved.version, saved.room, saved.saved_at]).toEqual([1, 'hall', '2026-01-02T03:04:05.678Z']);
  expect([saved.decisions, saved.timings]).toEqual([[DECISION], [TIMINGS]]);
  expect(saved.transcript.lines).toEqual([
    { side: 'agent', typed: false, text: 'Hello.', final: true, mark: 'lost', waited_ms: null, earlier: true },
    { side: 'user', typed: true, text: 'Where is Rome?', final: true, mark: null, waited_ms: null, earlier: false },
  ]);
  expect(JSON.stringify({ ...saved, transcript: null })).not.toContain('Rome');
});

it('saves a call in which nothing has happened', () => {
  expect(callExport(EMPTY, 'hall', 'now')).toMatchObject({ decisions: [], timings: [], transcript: { lines: [] } });
});

it('keeps far more decisions than are shown', () => {
  const told = Array.from({ length: 2_100 }, (_, atMs) => ({
    type: 'decided' as const,
    decision: { ...DECISION, atMs },
  }));
  const { decisions } = callExport(played(...told), 'hall', 'now') as { decisions: { at_ms: number }[] };
  expect([decisions.length, decisions[0]?.at_ms]).toEqual([2_000, 100]);
});

it('names the file so that every system can keep it', () => {
  expect(exportName('my room/1', '2026-01-02T03:04:05.678Z')).toBe('aura-call-my-room-1-2026-01-02T03-04-05.json');
});

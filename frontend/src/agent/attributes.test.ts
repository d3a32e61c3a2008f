import { expect, it } from 'vitest';
import {
  hasLostPipeline,
  readDecision,
  readLine,
  readSees,
  readShown,
  readState,
  readTimings,
  readTool,
  waitedMs,
} from './attributes';

it("prefers the agent's own state to the framework's", () => {
  expect(readState({ 'aura.state': 'watching', 'lk.agent.state': 'listening' })).toBe('watching');
  expect(readState({ 'lk.agent.state': 'speaking' })).toBe('speaking');
  expect(readState({ 'aura.state': 'dancing', 'lk.agent.state': 'idle' })).toBe('listening');
  expect(readState({ 'lk.agent.state': 'initializing' })).toBe('preparing');
  expect(readState({})).toBe('preparing');
});

it('reads a decision, and none from what is not one', () => {
  expect(readDecision({ 'aura.decision': '{"at_ms": 12, "what": "turn", "text": "a question"}' })).toEqual({
    atMs: 12,
    what: 'turn',
    reason: '',
    text: 'a question',
    figures: {},
  });
  for (const text of ['', '{', '[]', 'null', '{"text": "no what"}']) {
    expect(readDecision({ 'aura.decision': text })).toBeNull();
  }
});

it('reads why it was decided and the numbers behind it, and leaves out what is none', () => {
  const figures = '{"sound_ms": 410, "response_id": "resp_1", "list": [1], "nothing": null}';
  const decision = `{"at_ms": 1, "what": "noise", "reason": "no_words", "text": "no words", "figures": ${figures}}`;
  expect(readDecision({ 'aura.decision': decision })).toMatchObject({
    reason: 'no_words',
    figures: { sound_ms: 410, response_id: 'resp_1' },
  });
  for (const odd of ['[1]', '7', 'null', '"text"']) {
    const read = readDecision({ 'aura.decision': `{"what": "noise", "reason": 3, "figures": ${odd}}` });
    expect([read?.reason, read?.figures]).toEqual(['', {}]);
  }
});

it('shows the wait since the end of speech, or since the question was typed', () => {
  const spoken = readTimings({
    'aura.timings': '{"response_id": "r", "speech_end_to_first_audio_ms": 720, "create_to_first_audio_ms": 410}',
  });
  const typed = readTimings({
    'aura.timings': '{"response_id": "r", "speech_end_to_first_audio_ms": null, "create_to_first_audio_ms": 410}',
  });
  expect(spoken && waitedMs(spoken)).toBe(720);
  expect(typed && waitedMs(typed)).toBe(410);
  expect(readTimings({})).toBeNull();
});

it('reads what a wait was made of, in order, and leaves out what is no time', () => {
  const stages = '"waited_ms": {"endpointing": 500, "aura": 0, "wire": "x", "tts": -4}, "took_ms": {"aura": 210}';
  expect(readTimings({ 'aura.timings': `{"response_id": "r", "at_ms": 9, ${stages}}` })).toMatchObject({
    atMs: 9,
    stages: [
      { stage: 'endpointing', waitedMs: 500, tookMs: null },
      { stage: 'aura', waitedMs: 0, tookMs: 210 },
    ],
  });
  for (const odd of ['[]', '7', 'null', '"text"']) {
    expect(readTimings({ 'aura.timings': `{"response_id": "r", "waited_ms": ${odd}}` })?.stages).toEqual([]);
  }
});

it('knows whether the agent sees, or that it does not know', () => {
  expect(readSees({ 'aura.sees': 'yes' })).toBe(true);
  expect(readSees({ 'aura.sees': 'no' })).toBe(false);
  expect(readSees({ 'aura.sees': '' })).toBeNull();
  expect(readSees({})).toBeNull();
});

it('knows which picture the agent is shown', () => {
  expect(readShown({ 'aura.shown': 'camera' })).toBe('camera');
  expect(readShown({ 'aura.shown': 'screen' })).toBe('screen');
  for (const shown of ['', 'window', 'Screen']) expect(readShown({ 'aura.shown': shown })).toBeNull();
  expect(readShown({})).toBeNull();
});

it('knows whether the agent reaches the pipeline', () => {
  expect(readLine({})).toBe(false);
  expect(readLine({ 'aura.connection': '' })).toBe(false);
  expect(readLine({ 'aura.connection': 'token' })).toBe(true);
  expect(hasLostPipeline({ 'aura.error': 'The speech server has stopped.' })).toBe(true);
  expect(hasLostPipeline({ 'aura.error': 'I could not answer that.', 'aura.connection': 'token' })).toBe(false);
  expect(hasLostPipeline({})).toBe(false);
});

it('reads how a call of a tool stands, and nothing of what is none', () => {
  const told = { call_id: 'c', name: 'look', arguments: '{"at":"it"}', state: 'done', ms: 90, result: 'a cup' };
  const read = { callId: 'c', name: 'look', given: '{"at":"it"}', state: 'done', ms: 90, result: 'a cup' };
  expect(readTool({ 'aura.tool': JSON.stringify(told) })).toEqual(read);
  for (const odd of [{ state: 'flying' }, { name: 7 }, { call_id: null }]) {
    expect(readTool({ 'aura.tool': JSON.stringify({ ...told, ...odd }) })).toBeNull();
  }
  expect(readTool({})).toBeNull();
});

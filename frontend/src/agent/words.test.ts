import { expect, it } from 'vitest';
import { decisionReason, figureWords, listeningHint, stageWords, thinkingHint, watchingHint } from './words';

it('does not claim to see who shows a picture to a pipeline without eyes', () => {
  expect(listeningHint(true)).toBe('AURA hears you, but has no eyes here: nobody looks at your picture.');
  expect(listeningHint(false)).toBe('Say something, or type below.');
});

it('says whether the camera or the screen is watched', () => {
  expect(watchingHint('screen')).toBe('AURA sees your screen. Say something, or type below.');
  expect(watchingHint('camera')).toBe('AURA sees your camera. Say something, or type below.');
  expect(watchingHint(null)).toBe('Your picture arrives. Say something, or type below.');
});

it('does not claim to have heard what was typed', () => {
  expect(thinkingHint(0, true)).toBe('Your message is here.');
  expect(thinkingHint(2, true)).toBe('Your message is here. 2 s');
});

it('counts the seconds of a wait, and says when it is long', () => {
  expect(thinkingHint(0)).toBe('You were heard.');
  expect(thinkingHint(2)).toBe('You were heard. 2 s');
  expect(thinkingHint(5)).toBe('You were heard. 5 s');
  expect(thinkingHint(6)).toBe('This machine is slow: still working on the answer (6 s).');
  expect(thinkingHint(29)).toBe('This machine is slow: still working on the answer (29 s).');
});

it('says the numbers behind a decision in words, and by their names where it knows no words', () => {
  const figures = { sound_ms: 409.6, over_agent_ms: 0, since_pause_ms: 450, response_id: 'resp_1', doubt: 0.3 };
  expect(figureWords(figures)).toEqual([
    '410 ms of sound',
    'decided 450 ms after it',
    'response_id resp_1',
    'doubt 0.3',
  ]);
  expect(figureWords({ over_agent_ms: 120, sound_ms: 'long' })).toEqual(['120 ms over AURA', 'sound_ms long']);
  expect(figureWords({})).toEqual([]);
});

it('names each stage of a turn, also of a pipeline that it does not know', () => {
  expect(stageWords('aura')).toBe('First words of the answer');
  expect(stageWords('other_voice')).toBe('other_voice');
});

it('tells why it was decided as the agent does, where the page has no words of its own', () => {
  expect(decisionReason({ what: 'silent', reason: 'model', text: 'chose to say nothing' })).toBe(
    'chose to say nothing',
  );
});

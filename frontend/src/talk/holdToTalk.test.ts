import { expect, it } from 'vitest';
import { held, holdsToTalk, microphoneIn, modeOf, NOBODY } from './holdToTalk';

const key = (type: 'press' | 'release') => ({ type, holder: 'key' }) as const;
const button = (type: 'press' | 'release') => ({ type, holder: 'button' }) as const;

it('is open from the first press to the last release', () => {
  let holding = NOBODY;
  const open = [key('press'), button('press'), key('release'), button('release')].map((event) => {
    holding = held(holding, event);
    return holding.size > 0;
  });
  expect(open).toEqual([true, true, true, false]);
});

it('takes no notice of the repeats of a key, nor of a release that no press came before', () => {
  const open = held(NOBODY, key('press'));
  expect(held(open, key('press'))).toBe(open);
  expect(held(NOBODY, key('release'))).toBe(NOBODY);
});

it('is closed when the window is left', () => {
  expect(held(held(NOBODY, key('press')), { type: 'dropped' }).size).toBe(0);
  expect(held(NOBODY, { type: 'dropped' })).toBe(NOBODY);
});

it('is the space bar alone, where it does nothing else', () => {
  expect(holdsToTalk({ key: ' ', modified: false, elsewhere: false })).toBe(true);
  expect(holdsToTalk({ key: ' ', modified: false, elsewhere: true })).toBe(false);
  expect(holdsToTalk({ key: ' ', modified: true, elsewhere: false })).toBe(false);
  expect(holdsToTalk({ key: 'm', modified: false, elsewhere: false })).toBe(false);
});

it('follows how one talks, and leaves an open microphone to its button', () => {
  const holding = held(NOBODY, key('press'));
  expect([modeOf(false, false), modeOf(true, false), modeOf(true, true)]).toEqual(['open', 'held', 'off']);
  expect(microphoneIn('open', null, NOBODY)).toBeNull();
  expect(microphoneIn('open', 'open', NOBODY)).toBeNull();
  expect(microphoneIn('held', null, NOBODY)).toBe(false);
  expect(microphoneIn('held', 'held', holding)).toBe(true);
  expect(microphoneIn('off', 'held', holding)).toBe(false);
  expect(microphoneIn('open', 'off', NOBODY)).toBe(true);
  expect(microphoneIn('open', 'held', NOBODY)).toBe(true);
});

import { expect, it } from 'vitest';
import { mayAsk, type Readiness } from './askFirst';

const ABOUT_NOTHING = { text: 'Tell me a story', aboutPicture: false };
const ABOUT_A_PICTURE = { text: 'What do you see?', aboutPicture: true };
const GREETED: Readiness = { state: 'listening', line: true, shown: null, greeted: true, hereMs: 5_000 };

it('lets the agent greet first', () => {
  expect(mayAsk(ABOUT_NOTHING, GREETED)).toBe(true);
  expect(mayAsk(ABOUT_NOTHING, { ...GREETED, state: 'speaking' })).toBe(false);
  expect(mayAsk(ABOUT_NOTHING, { ...GREETED, greeted: false, hereMs: 1_000 })).toBe(false);
});

it('does not wait for a greeting that does not come', () => {
  expect(mayAsk(ABOUT_NOTHING, { ...GREETED, greeted: false, hereMs: 3_000 })).toBe(true);
});

it('waits for an agent that reaches its pipeline', () => {
  expect(mayAsk(ABOUT_NOTHING, { ...GREETED, line: false })).toBe(false);
});

it('asks about a picture once it is seen, or stays away', () => {
  expect(mayAsk(ABOUT_A_PICTURE, GREETED)).toBe(false);
  expect(mayAsk(ABOUT_A_PICTURE, { ...GREETED, state: 'watching', shown: 'camera' })).toBe(true);
  expect(mayAsk(ABOUT_A_PICTURE, { ...GREETED, hereMs: 10_000 })).toBe(true);
});

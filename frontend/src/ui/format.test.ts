import { expect, it } from 'vitest';
import { clock, duration, seconds, sentence } from './format';

it('writes times as people read them', () => {
  expect([720, 9_949, 12_400].map(seconds)).toEqual(['0.7 s', '9.9 s', '12 s']);
  expect([0, 61_000, 600_000].map(clock)).toEqual(['0:00', '1:01', '10:00']);
  expect([4_200, 192_000].map(duration)).toEqual(['4 s', '3 min 12 s']);
});

it('begins a sentence with a capital', () => {
  expect(['chose to say nothing', ''].map(sentence)).toEqual(['Chose to say nothing', '']);
});

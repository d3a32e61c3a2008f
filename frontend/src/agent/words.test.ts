import { expect, it } from 'vitest';
import { thinkingHint } from './words';

it('counts the seconds of a wait, and says when it is long', () => {
  expect(thinkingHint(0)).toBe('You were heard.');
  expect(thinkingHint(2)).toBe('You were heard. 2 s');
  expect(thinkingHint(5)).toBe('You were heard. 5 s');
  expect(thinkingHint(6)).toBe('This machine is slow: still working on the answer (6 s).');
  expect(thinkingHint(29)).toBe('This machine is slow: still working on the answer (29 s).');
});

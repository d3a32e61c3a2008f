import { expect, it } from 'vitest';
import { pictureNotShown } from '../pictures/problems';
import { words } from '../words/words';
import { notHeard, notSet, whyNot } from './rpcProblems';

const refused = (code: number, message: string) => Object.assign(new Error(message), { code });

it('asks for patience where the agent speaks already, by a message that goes by itself', () => {
  expect(notHeard(refused(400, 'voice: it speaks already, or is about to'))).toEqual({
    code: 'persona',
    title: 'The voice cannot be heard just now',
    advice: 'AURA is about to speak: try again when it is quiet.',
    passes: true,
  });
});

it('shows nobody what the library says, whatever was asked', () => {
  for (const code of [1400, 1401, 1402, 1403, 1404, 1500, 1501, 1502, 1503, 1504, 1505, 7]) {
    const error = refused(code, 'Method not supported at destination');
    const told = [notSet(error), notHeard(error), pictureNotShown(error)];
    for (const { advice } of told) expect(advice).not.toMatch(/^$|Method/);
  }
  expect(pictureNotShown(refused(1400, 'Method not supported')).advice).toBe('The AURA of this call cannot do that.');
  expect(pictureNotShown(new TypeError('x is undefined')).advice).toBe(words.showing.notShownAdvice);
});

it('tells in its own words why the agent refuses, without the name of the field', () => {
  expect(whyNot(refused(400, 'voice: there is no `x`'))).toBe('there is no `x`');
  expect(pictureNotShown(refused(400, 'picture: it is too large')).advice).toBe('it is too large');
});

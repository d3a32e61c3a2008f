import { expect, it } from 'vitest';
import { en } from '../words/en';
import { blockedWords, isGone, refusalOf } from './blocked';

const named = (name: string) => refusalOf(Object.assign(new Error(), { name }));

it('tells a refusal from a device that is missing, taken or broken', () => {
  expect(named('NotAllowedError')).toBe('denied');
  expect(named('NotFoundError')).toBe('missing');
  expect(named('NotReadableError')).toBe('taken');
  expect(named('AbortError')).toBe('failed');
  expect(refusalOf('?')).toBe('failed');
});

it('knows a device that was chosen once and is not there any more', () => {
  const named = (name: string) => Object.assign(new Error(), { name });
  expect([named('OverconstrainedError'), named('NotFoundError'), 'x'].map(isGone)).toEqual([true, false, false]);
});

it('speaks of nothing that is not there before a call', () => {
  for (const refusal of ['denied', 'missing', 'taken', 'failed'] as const) {
    const told = blockedWords(refusal, en);
    expect(`${told?.what} ${told?.help}`).not.toMatch(/press|type meanwhile/i);
  }
  expect(blockedWords(null, en)).toBeNull();
});

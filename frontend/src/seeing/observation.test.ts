import { expect, it } from 'vitest';
import { readObservation } from './observation';

it('reads what is seen, and nothing of an attribute that is empty or away', () => {
  expect(readObservation({ 'aura.observation': 'a person, a book' })).toBe('a person, a book');
  expect(readObservation({ 'aura.observation': ' ' })).toBeNull();
  expect(readObservation({})).toBeNull();
});

it('shows no more than a line has', () => {
  expect(readObservation({ 'aura.observation': 'a'.repeat(5000) })).toHaveLength(300);
});

import { describe, expect, it } from 'vitest';
import { usable } from './storage';

function full(values: Record<string, string> = {}): Storage {
  return {
    getItem: (key: string) => values[key] ?? null,
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError');
    },
    removeItem: (key: string) => {
      delete values[key];
    },
  } as unknown as Storage;
}

describe('usable', () => {
  it('keeps in memory where the browser forbids even to look', () => {
    const keeper = usable(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    keeper.setItem('a', '1');
    expect(keeper.getItem('a')).toBe('1');
    keeper.removeItem('a');
    expect(keeper.getItem('a')).toBeNull();
  });

  it('keeps in memory what a full storage does not take, in place of the older value', () => {
    const keeper = usable(() => full({ a: 'old' }));
    keeper.setItem('a', 'new');
    expect(keeper.getItem('a')).toBe('new');
    keeper.removeItem('a');
    expect(keeper.getItem('a')).toBeNull();
  });
});

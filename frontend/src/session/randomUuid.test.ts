import { expect, it } from 'vitest';
import { provideRandomUuid, type Source } from './randomUuid';

const getRandomValues: Source['getRandomValues'] = (bytes) => crypto.getRandomValues(bytes);

it('names things where the browser does not, each otherwise', () => {
  const source: Source = { getRandomValues };
  provideRandomUuid(source);
  const names = Array.from({ length: 100 }, () => source.randomUUID?.() ?? '');
  expect(new Set(names).size).toBe(100);
  for (const name of names) {
    expect(name).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

it('leaves what the browser has', () => {
  const randomUUID = () => 'its own';
  const source: Source = { getRandomValues, randomUUID };
  provideRandomUuid(source);
  expect(source.randomUUID).toBe(randomUUID);
});

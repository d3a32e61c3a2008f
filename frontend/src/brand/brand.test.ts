import { expect, it } from 'vitest';
import { PLAIN, readBrand } from './brand';

it('reads what the server has written into the page', () => {
  const words = { en: { 'door.start': 'Ask us' } };
  expect(readBrand(JSON.stringify({ name: 'Nova', logo: '/brand/logo.svg', words }))).toEqual({
    name: 'Nova',
    logo: '/brand/logo.svg',
    words,
  });
});

it('is plain where nothing is said, or nothing that can be read', () => {
  for (const json of [undefined, '{', '{}', '{"name": "", "logo": 3, "words": null}']) {
    expect(readBrand(json)).toEqual(PLAIN);
  }
});

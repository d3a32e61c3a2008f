import { expect, it } from 'vitest';
import { sampleUrl, unheard } from './sample';

it('asks only for what was chosen', () => {
  expect(sampleUrl({ persona: '', voice: '', loudspeaker: 'x' })).toBe('/api/sample?');
  expect(sampleUrl({ persona: 'Nova & Co', voice: 'eva', loudspeaker: '' })).toBe(
    '/api/sample?persona=Nova+%26+Co&voice=eva',
  );
});

it('knows a refusal of the server by its code', () => {
  expect(unheard({ error: { code: 'full', message: 'All places are taken just now.' } })).toBe('full');
  for (const error of [new TypeError('failed to fetch'), null, 'x', {}, { error: 7 }, { error: { code: 7 } }]) {
    expect(unheard(error)).toBe('');
  }
});

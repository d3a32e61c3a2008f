import { expect, it } from 'vitest';
import { firstPicture, fitted } from './scale';

it('makes a large picture smaller in its own shape, and leaves a small one', () => {
  expect(fitted({ width: 4_000, height: 3_000 })).toEqual({ width: 1_600, height: 1_200 });
  expect(fitted({ width: 1_000, height: 3_200 })).toEqual({ width: 500, height: 1_600 });
  expect(fitted({ width: 640, height: 480 })).toEqual({ width: 640, height: 480 });
  expect(fitted({ width: 16_000, height: 2 })).toEqual({ width: 1_600, height: 1 });
});

it('takes the first picture of what was dropped', () => {
  expect(firstPicture([{ type: 'text/plain' }, { type: 'image/png' }, { type: 'image/jpeg' }])).toEqual({
    type: 'image/png',
  });
  expect(firstPicture([{ type: 'application/pdf' }])).toBeNull();
});

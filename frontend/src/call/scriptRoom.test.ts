import { expect, it } from 'vitest';
import { needsMore, readsBack, type ScriptView } from './scriptRoom';

it('follows what there is to read, and does not flap where it just fits', () => {
  expect(needsMore(false, 300, 300)).toBe(false);
  expect(needsMore(false, 301, 300)).toBe(true);
  expect(needsMore(true, 290, 300)).toBe(true);
  expect(needsMore(true, 200, 300)).toBe(false);
});

const view = (top: number, below: number, size = 'desk'): ScriptView => ({ size, top, below });

it('takes only a way up that a person went for reading back', () => {
  expect(readsBack(false, view(500, 0), view(200, 300))).toBe(true);
  expect(readsBack(false, view(500, 0), view(200, 300, 'phone'))).toBe(false);
  expect(readsBack(false, view(500, 0), view(500, 200))).toBe(false);
  expect(readsBack(true, view(200, 300), view(200, 500, 'phone'))).toBe(true);
});

it('ends with the end in view, whatever brought it there', () => {
  expect(readsBack(true, view(200, 300), view(480, 20))).toBe(false);
  expect(readsBack(true, view(200, 300), view(0, 0, 'desk again'))).toBe(false);
});

import { expect, it } from 'vitest';
import { cameraAfter, facingOf, otherFacing } from './cameras';

it('knows which way a camera looks', () => {
  expect(facingOf({ facingMode: 'environment' }, '')).toBe('environment');
  expect(facingOf({}, 'camera2 0, facing back')).toBe('environment');
  expect(facingOf({}, 'HD Webcam')).toBe('user');
  expect(facingOf({ facingMode: 'left' }, 'Backpack camera')).toBe('user');
});

it('turns from one to the other', () => {
  expect(otherFacing('user')).toBe('environment');
  expect(otherFacing('environment')).toBe('user');
});

it('goes round the cameras where none says which way it looks', () => {
  expect(cameraAfter('a', ['a', 'b', 'c'])).toBe('b');
  expect(cameraAfter('c', ['a', 'b', 'c'])).toBe('a');
  expect(cameraAfter('gone', ['a', 'b'])).toBe('a');
  expect([cameraAfter('a', ['a']), cameraAfter(undefined, [])]).toEqual([null, null]);
});

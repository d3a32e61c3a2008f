import { expect, it } from 'vitest';
import { shortcutOf } from './shortcuts';

const press = { modified: false, repeated: false, elsewhere: false };

it('maps the four keys of a call', () => {
  expect(['m', 'V', 'Escape', '/', 'x'].map((key) => shortcutOf({ ...press, key }))).toEqual([
    'mute',
    'camera',
    'leave',
    'chat',
    null,
  ]);
});

it('leaves typing, browser shortcuts and held keys alone', () => {
  expect(shortcutOf({ ...press, key: 'm', elsewhere: true })).toBeNull();
  expect(shortcutOf({ ...press, key: 'm', modified: true })).toBeNull();
  expect(shortcutOf({ ...press, key: 'm', repeated: true })).toBeNull();
});

it('leaves letters alone where who dictates has switched them off', () => {
  expect(['m', 'v', '/'].map((key) => shortcutOf({ ...press, key }, false))).toEqual([null, null, null]);
  expect(shortcutOf({ ...press, key: 'Escape' }, false)).toBe('leave');
});

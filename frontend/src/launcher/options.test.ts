import { expect, it } from 'vitest';
import { pageAddress, readOptions } from './options';

function read(asked: Record<string, string>, wishes: string[] = []) {
  const faults: string[] = [];
  return { options: readOptions(asked, wishes, (fault) => faults.push(fault)), faults };
}

it('needs no attribute', () => {
  expect(read({})).toEqual({
    options: { language: 'en', label: null, side: 'right', camera: false, room: null, open: false },
    faults: [],
  });
});

it('speaks the language that is asked for, else that of the page or of its reader', () => {
  expect(read({ language: 'DE' }, ['en']).options.language).toBe('de');
  expect(read({}, ['de-AT', 'en']).options.language).toBe('de');
  expect(read({}, ['', 'fr', 'de']).options.language).toBe('de');
});

it('names each attribute that it cannot take, and goes on without it', () => {
  const { options, faults } = read({ language: 'fr', side: 'top', lang: 'de', camera: 'yes' });
  expect([options.language, options.side, options.camera]).toEqual(['en', 'right', false]);
  expect(faults).toEqual([
    'data-lang is not known',
    'data-language is "fr", and may be en or de',
    'data-side is "top", and may be left or right',
    'data-camera is "yes", and may be on or off',
  ]);
});

it('opens the page of the server that the script came from', () => {
  const { options } = read({ language: 'de', camera: 'on', room: 'a&b' });
  expect(pageAddress('https://aura.example/aura.js?v=2', options)).toBe(
    'https://aura.example/?lang=de&camera=1&room=a%26b',
  );
});

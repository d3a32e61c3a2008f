import { expect, it } from 'vitest';
import { type About, readAbout } from '../about/about';
import { firstQuestions, practisable } from './firstQuestions';

const about = (sees: boolean, languages: string[], voice_languages: string[]): About | null =>
  readAbout({ state: 'ready', sees, languages, voice_languages });
const texts = (known: About | null) => firstQuestions(known).map(({ text }) => text);

it('offers what an installation can do', () => {
  expect(texts(about(true, ['en', 'es'], ['en', 'es']))).toEqual([
    'Tell me a story',
    'Practise Spanish with me',
    'What do you see?',
  ]);
});

it('offers nothing that it cannot do', () => {
  expect(texts(about(false, ['en', 'es'], ['en']))).toEqual(['Tell me a story', 'Tell me a joke']);
  expect(texts(null)).toEqual(['Tell me a story', 'Tell me a joke']);
});

it('asks what it sees only where a camera can be had', () => {
  expect(firstQuestions(about(true, [], []), false).map(({ text }) => text)).not.toContain('What do you see?');
});

it('shows the camera with the one question that needs it', () => {
  expect(firstQuestions(about(true, [], [])).map(({ aboutPicture }) => aboutPicture)).toEqual([false, true, false]);
});

it('practises a foreign language that is both understood and spoken', () => {
  expect(practisable(about(true, ['es', 'fr'], ['fr', 'en']), 'en')).toBe('fr');
  expect(practisable(about(true, ['en', 'de'], ['en', 'de']), 'de')).toBe('en');
  expect(practisable(about(true, [], ['es']), 'en')).toBeNull();
});

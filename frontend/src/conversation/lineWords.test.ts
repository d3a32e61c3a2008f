import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { chooseLanguage } from '../words/words';
import { lineNotes, lineText } from './lineWords';

const SHOWN = { text: '', picture: true, typed: true };
const ASKED = { text: 'What is that?', picture: true, typed: true };

beforeAll(() => void vi.stubGlobal('document', { documentElement: {} }));

afterAll(async () => {
  await chooseLanguage('en');
  vi.unstubAllGlobals();
});

it('says of a picture in the language that is shown now that it was shown', async () => {
  expect([lineText(SHOWN), lineNotes(SHOWN)]).toEqual(['You showed a picture.', ['typed']]);
  expect([lineText(ASKED), lineNotes(ASKED)]).toEqual(['What is that?', ['typed', 'with a picture']]);
  await chooseLanguage('de');
  expect(lineText(SHOWN)).toBe('Du hast ein Bild gezeigt.');
  expect(lineNotes(ASKED).at(-1)).toBe('mit einem Bild');
});

it('adds nothing to what was said without one', () => {
  expect([lineText({ text: 'Hello.', typed: false }), lineNotes({ text: 'Hello.', typed: false })]).toEqual([
    'Hello.',
    [],
  ]);
});

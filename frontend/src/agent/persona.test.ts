import { expect, it } from 'vitest';
import { languageGroups, matching, readChoices, readPersona, spokenHint } from './persona';

const choices = (fields: object) => readChoices({ 'aura.choices': JSON.stringify(fields) });

it('reads who the agent is, and nobody from what is not one', () => {
  const shown = '{"name": "Nova", "voice": "eric", "language": "fr", "proactive": true, "longest_answer": 0}';
  expect(readPersona({ 'aura.persona': shown })).toEqual({
    name: 'Nova',
    voice: 'eric',
    language: 'fr',
    textOnly: null,
  });
  expect(readPersona({ 'aura.persona': '{"name": "Nova"}' })).toEqual({
    name: 'Nova',
    voice: '',
    language: 'auto',
    textOnly: null,
  });
  expect(readPersona({ 'aura.persona': '{"name": "Nova", "modality": "text"}' })?.textOnly).toBe(true);
  for (const text of ['', '{', '[]', 'null', '7', '{"voice": "eric"}']) {
    expect(readPersona({ 'aura.persona': text })).toBeNull();
  }
});

it('reads what there is to choose from', () => {
  expect(choices({ voices: ['vivian', 7], languages: ['en'], voice_languages: 'en' })).toEqual({
    voices: ['vivian'],
    understood: ['en'],
    spoken: [],
    personas: [],
  });
  expect(choices({ personas: ['Aura', 'Nova', 7] }).personas).toEqual(['Aura', 'Nova']);
  expect(readChoices({})).toEqual({ voices: [], understood: [], spoken: [], personas: [] });
});

it('offers what is spoken first, then what the person is likely to speak, then the rest', () => {
  const known = choices({ languages: ['sv', 'fr', 'de', 'da', 'nb'], voice_languages: ['fr', 'de'] });
  const told = (of: string, ...names: string[]) => [of, names];
  const offered = (wished: string[]) =>
    languageGroups(known, wished).map(({ of, languages }) => told(of, ...languages.map(({ name }) => name)));
  expect(offered(['sv-SE', 'de'])).toEqual([
    told('spoken', 'French', 'German'),
    told('own', 'Swedish'),
    told('others', 'Danish', 'Norwegian Bokmål'),
  ]);
  expect(offered([]).map(([of]) => of)).toEqual(['spoken', 'others']);
  expect(languageGroups(choices({ languages: ['sv'] }), ['en'])).toEqual([
    { of: 'others', languages: [{ code: 'sv', name: 'Swedish' }] },
  ]);
});

it('offers no bare code', () => {
  const offered = languageGroups(choices({ languages: ['!?', 'qx', 'sv'], voice_languages: ['qx'] }), []);
  expect(offered.flatMap(({ languages }) => languages.map(({ code }) => code))).toEqual(['sv']);
});

it('says plainly that only one language is spoken', () => {
  expect(spokenHint(choices({ voice_languages: ['en'] }))).toBe('AURA speaks English only.');
  expect(spokenHint(choices({ voice_languages: ['en', 'fr'] }))).toBe('');
  expect(spokenHint(choices({}))).toBe('');
});

it('finds a language by its name here, its own, its English one, or its code', () => {
  const groups = languageGroups(choices({ languages: ['de', 'es', 'nb', 'fr'], voice_languages: ['es'] }), []);
  const found = (typed: string) =>
    matching(groups, typed).flatMap(({ languages }) => languages.map(({ code }) => code));
  expect(found('ger')).toEqual(['de']);
  expect(found('Deu')).toEqual(['de']);
  expect(found('espan')).toEqual(['es']);
  expect(found('FR')).toEqual(['fr']);
  expect(found('bokmal')).toEqual(['nb']);
  expect(found('erman')).toEqual([]);
  expect(found(' ')).toEqual(['es', 'fr', 'de', 'nb']);
  expect(matching(groups, 'spanish').map(({ of }) => of)).toEqual(['spoken']);
});

import { expect, it } from 'vitest';
import { languageChoices, readChoices, readPersona, spokenHint } from './persona';

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

it('offers what is spoken first, and says of the rest that it is only understood', () => {
  const offered = languageChoices(choices({ languages: ['sv', 'fr', 'de', 'da'], voice_languages: ['fr', 'de'] }));
  expect(offered).toEqual([
    { code: 'fr', name: 'French' },
    { code: 'de', name: 'German' },
    { code: 'da', name: 'Danish (understood, not spoken)' },
    { code: 'sv', name: 'Swedish (understood, not spoken)' },
  ]);
  expect(languageChoices(choices({ languages: ['sv'] }))).toEqual([{ code: 'sv', name: 'Swedish' }]);
});

it('offers no bare code', () => {
  const offered = languageChoices(choices({ languages: ['!?', 'qx', 'sv'], voice_languages: ['qx'] }));
  expect(offered.map(({ code }) => code)).toEqual(['sv']);
});

it('says plainly that only one language is spoken', () => {
  expect(spokenHint(choices({ voice_languages: ['en'] }))).toBe('AURA speaks English only.');
  expect(spokenHint(choices({ voice_languages: ['en', 'fr'] }))).toBe('');
  expect(spokenHint(choices({}))).toBe('');
});

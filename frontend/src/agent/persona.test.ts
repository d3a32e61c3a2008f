import { expect, it } from 'vitest';
import { languageChoices, readChoices, readPersona, spokenHint } from './persona';

const choices = (fields: object) => readChoices({ 'aura.choices': JSON.stringify(fields) });

it('reads who the agent is, and nobody from what is not one', () => {
  const shown = '{"name": "Nova", "voice": "eric", "language": "fr", "proactive": true, "longest_answer": 0}';
  expect(readPersona({ 'aura.persona': shown })).toEqual({ name: 'Nova', voice: 'eric', language: 'fr' });
  expect(readPersona({ 'aura.persona': '{"name": "Nova"}' })).toEqual({ name: 'Nova', voice: '', language: 'auto' });
  for (const text of ['', '{', '[]', 'null', '7', '{"voice": "eric"}']) {
    expect(readPersona({ 'aura.persona': text })).toBeNull();
  }
});

it('reads what there is to choose from', () => {
  expect(choices({ voices: ['vivian', 7], languages: ['en'], voice_languages: 'en' })).toEqual({
    voices: ['vivian'],
    understood: ['en'],
    spoken: [],
  });
  expect(readChoices({})).toEqual({ voices: [], understood: [], spoken: [] });
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

it('survives a code that is none', () => {
  expect(languageChoices(choices({ languages: ['!?'] }))).toEqual([{ code: '!?', name: '!?' }]);
});

it('says plainly that only one language is spoken', () => {
  expect(spokenHint('Aura', choices({ voice_languages: ['en'] }))).toBe('Aura speaks English only.');
  expect(spokenHint('Aura', choices({ voice_languages: ['en', 'fr'] }))).toBe('');
  expect(spokenHint('Aura', choices({}))).toBe('');
});

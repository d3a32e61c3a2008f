import { expect, it } from 'vitest';
import { readAbout } from '../about/about';
import { doorChoices, doorVoice, offeredPersona } from './keptChoices';

const LAST = { voices: ['old'], understood: ['fr'], spoken: ['fr'], personas: ['Aura', 'Old'] };

it('offers at the door what the server has, before there was a call', () => {
  const about = readAbout({
    state: 'ready',
    voices: ['eva', 'tom'],
    languages: ['de', 'en'],
    voice_languages: ['de'],
    personas: ['Aura', 'Nova'],
  });
  const offered = { voices: ['eva', 'tom'], understood: ['de', 'en'], spoken: ['de'], personas: ['Aura', 'Nova'] };
  expect(doorChoices(about, LAST)).toEqual(offered);
  expect(doorChoices(null, LAST)).toEqual(LAST);
  expect(doorChoices(readAbout({ state: 'starting' }), LAST)).toEqual({ ...LAST, personas: [] });
});

it('shows a voice that is there, and names none in place of the agent’s own', () => {
  expect(doorVoice('tom', ['eva', 'tom'])).toBe('tom');
  expect(doorVoice('gone', ['eva', 'tom'])).toBe('');
  expect(doorVoice(null, ['eva'])).toBe('eva');
  expect(doorVoice(null, [])).toBe('');
});

it('forgets a persona that is not offered any more', () => {
  expect(offeredPersona('Nova', ['Aura', 'Nova'])).toBe('Nova');
  expect(offeredPersona('Nova', ['Aura', 'Chef'])).toBeNull();
  expect(offeredPersona('Nova', [])).toBeNull();
  expect(offeredPersona(null, ['Aura', 'Nova'])).toBeNull();
});

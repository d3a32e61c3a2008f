import { expect, it } from 'vitest';
import type { Keeper } from '../storage/storage';
import { keptOf } from './keptChange';
import { changed, DEFAULTS, personaWishes, readSettings } from './settings';
import { openSettings } from './store';

it('reads what was kept, and leaves what is not readable as it was at first', () => {
  expect(readSettings(null)).toEqual(DEFAULTS);
  expect(readSettings('{')).toEqual(DEFAULTS);
  expect(readSettings('[]')).toEqual(DEFAULTS);
  expect(readSettings('{"camera": true, "cameraId": "c1", "captionSize": "large", "gone": 1}')).toEqual({
    ...DEFAULTS,
    camera: true,
    cameraId: 'c1',
    captionSize: 'large',
  });
  const wrong = '{"camera": "yes", "cameraId": 7, "captionSize": "tiny", "textOnly": "no", "voice": false}';
  expect(readSettings(wrong)).toEqual(DEFAULTS);
});

it('is the same value where nothing changes', () => {
  expect(changed(DEFAULTS, { camera: false })).toBe(DEFAULTS);
  expect(changed(DEFAULTS, { camera: true })).toEqual({ ...DEFAULTS, camera: true });
});

it('tells the agent only what the person has chosen', () => {
  expect(personaWishes(DEFAULTS)).toEqual({});
  const chosen = { voice: 'eric', language: 'fr', proactive: false, speaksFirst: false, textOnly: true };
  expect(personaWishes({ ...DEFAULTS, ...chosen })).toEqual({
    voice: 'eric',
    language: 'fr',
    proactive: false,
    speaks_first: false,
    modality: 'text',
  });
  expect(personaWishes({ ...DEFAULTS, textOnly: false })).toEqual({ modality: 'audio' });
});

it('keeps what the agent was asked for, and nothing else of it', () => {
  const wishes = { voice: 'eric', language: 'auto', proactive: true, speaks_first: true, modality: 'audio' };
  const change = keptOf({ ...wishes, name: 'Nova', longest_answer: 9 });
  expect(change).toEqual({ voice: 'eric', language: 'auto', proactive: true, speaksFirst: true, textOnly: false });
  expect(personaWishes({ ...DEFAULTS, ...change })).toEqual(wishes);
});

it('leaves a persona its own voice, unless the person names one afterwards', () => {
  const chosen = { ...DEFAULTS, voice: 'eric', ...keptOf({ persona: 'Nova' }) };
  expect(personaWishes(chosen)).toEqual({ persona: 'Nova' });
  expect(personaWishes({ ...chosen, ...keptOf({ voice: 'eva' }) })).toEqual({ persona: 'Nova', voice: 'eva' });
});

function browser(): Keeper {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
}

it('keeps what is set for the next visit, and tells whoever shows it', () => {
  const keeper = browser();
  const first = openSettings(keeper);
  let told = 0;
  const stop = first.subscribe(() => {
    told += 1;
  });
  first.set({ camera: true });
  first.set({ camera: true });
  expect(told).toBe(1);
  stop();
  first.set({ letterKeys: false });
  expect(told).toBe(1);
  expect(openSettings(keeper).now()).toEqual({ ...DEFAULTS, camera: true, letterKeys: false });
});

it('keeps what was set in another tab meanwhile, and changes nothing else in this one', () => {
  const keeper = browser();
  const [here, there] = [openSettings(keeper), openSettings(keeper)];
  there.set({ voice: 'eric', holdToTalk: true });
  here.set({ captionSize: 'huge' });
  expect(openSettings(keeper).now()).toEqual({
    ...DEFAULTS,
    voice: 'eric',
    holdToTalk: true,
    captionSize: 'huge',
  });
  expect(here.now()).toEqual({ ...DEFAULTS, captionSize: 'huge' });
});

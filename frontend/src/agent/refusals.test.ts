import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { chooseLanguage, words } from '../words/words';
import { refusalWords } from './refusals';
import { notSet } from './rpcProblems';

const SAID = {
  "voice: 'bass' is not served; there is: vivian, eric": 'Diese Stimme gibt es hier nicht.',
  "language: 'tlh' is not served": 'Diese Sprache wird hier nicht verstanden.',
  'persona: `Eve` is not offered; there is: Aura, Nova': 'Unter diesem Namen ist hier niemand zu wählen.',
  'voice: participants may not set it here': 'Das darf hier nur ändern, wer AURA betreibt.',
  'aura.persona: the speech server does not answer just now, and nothing was changed':
    'Der Sprachserver antwortet gerade nicht. Es bleibt, wie es war.',
  'picture: too much waits for the speech server': 'Der Sprachserver antwortet gerade nicht. Es bleibt, wie es war.',
  'aura.persona: too many changes at once': 'Das waren zu viele Änderungen auf einmal. Versuch es gleich noch einmal.',
};

beforeEach(() => void vi.stubGlobal('document', { documentElement: {} }));

afterEach(async () => {
  await chooseLanguage('en');
  vi.unstubAllGlobals();
});

it('says in English what the agent says, without the name of the field', () => {
  expect(refusalWords('voice: there is no `x`')).toBe('there is no `x`');
  expect(refusalWords('aura.persona: too many changes at once')).toBe('too many changes at once');
  expect(refusalWords('it failed')).toBe('it failed');
});

it('says in German why it was refused', async () => {
  await chooseLanguage('de');
  for (const [english, german] of Object.entries(SAID)) expect(refusalWords(english)).toBe(german);
  expect(refusalWords('picture: it has 7 x 7 pixels, which is too few')).toBe(words.agent.refusals.picture);
  expect(refusalWords('name: a newer field of the agent')).toBe('a newer field of the agent');
  const problem = notSet(Object.assign(new Error("voice: 'bass' is not served"), { code: 400 }));
  expect(problem.advice).toBe('Diese Stimme gibt es hier nicht.');
});

/**
 * All words of the page, in the language that is shown.
 *
 * `words` changes with the language: read it where something is drawn, never into a constant of a module.
 */
import { useSyncExternalStore } from 'react';
import { brand } from '../brand/brand';
import { kept } from '../storage/storage';
import type { Words } from './en';
import { type Fit, fitWords, OWN_NAME } from './fitWords';

export type { Words } from './en';

/** The first screen's words: each language is a file of its own, and only who reads it fetches it. */
const FIRST = {
  en: async () => (await import('./en/first')).first,
  de: async () => (await import('./de/first')).first,
} satisfies Record<string, () => Promise<Partial<Words>>>;

export type Language = keyof typeof FIRST;
export const LANGUAGES = Object.keys(FIRST) as Language[];

/** What each calls itself, whichever is shown. */
export const OWN_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** The words of all screens: a call and the settings need them. */
const WHOLE = {
  en: async () => (await import('./en')).en,
  de: async () => (await import('./de')).de,
} satisfies Record<Language, () => Promise<Words>>;

/** Of the parts beyond the first screen nothing is drawn before `bringAllWords` has brought them. */
async function tableOf(chosen: Language): Promise<Words> {
  const first = await FIRST[chosen]();
  return whole ? WHOLE[chosen]() : (first as Words);
}

const KEY = 'aura.page-language';
const watchers = new Set<() => void>();
/** The language that is shown; read where something is drawn, as `words`. */
export let language: Language = 'en';
export let words = {} as Words;

/** What the person, or the link that they followed, has chosen; null: their browser decides. */
let choice: Language | null = null;

/** The language that was asked for last; its words may be on their way. */
let wanted: Language = language;

/** The words of the language, before they are fitted to names and brand. */
let table = words;

/** The words of all screens are wanted, of whichever language. */
let whole = false;

/** What they are fitted to. */
let fit: Fit = { page: OWN_NAME, agent: OWN_NAME, instead: {} };

/** What the agent calls itself; null: nobody has said yet. */
let agent: string | null = null;

/** The first language that the page has of those wished for, such as `de-AT`; else English. */
export function languageOf(wishes: readonly (string | null)[]): Language {
  return wishes.map(known).find(Boolean) ?? 'en';
}

function known(wish: string | null): Language | undefined {
  const code = wish?.toLowerCase().split('-')[0];
  return LANGUAGES.find((language) => language === code);
}

/** In which the person likes to be spoken to: in the language that they chose for the page, then as their browser says. */
export function likedLanguages(): readonly string[] {
  return [...(choice ? [choice] : []), ...navigator.languages];
}

/**
 * Shows the page in a language: the link's, else that of the last visit, else the browser's. English where that one
 * cannot be fetched.
 *
 * @throws Error where English cannot be fetched either.
 */
export async function openLanguage(search: string): Promise<void> {
  const asked = new URLSearchParams(search).get('lang');
  choice = [asked, kept.getItem(KEY)].map(known).find(Boolean) ?? null;
  const chosen = languageOf([choice, ...navigator.languages]);
  if (!(await show(chosen)) && !(await show('en'))) throw new Error('the words of the page cannot be fetched');
}

/** Shows the page in another language, at the next visit, too. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  kept.setItem(KEY, chosen);
  choice = chosen;
  await show(chosen);
}

/**
 * Brings the words of all that is not on the first screen, from now on in every language that is chosen.
 *
 * @throws Error where they cannot be fetched.
 */
export async function bringAllWords(): Promise<void> {
  whole = true;
  const shown = language;
  const known = await WHOLE[shown]();
  if (language !== shown) return bringAllWords();
  table = known;
  refit();
}

/** Speaks of the agent by the name that it gives itself. */
export function callAgent(name: string): void {
  if (agent === name) return;
  agent = name;
  refit();
}

/** The language that is shown; who uses it is drawn again when it changes, with all that is below. */
export function useLanguage(): Language {
  useSyncExternalStore(watch, current, current);
  return language;
}

/** False: the words cannot be fetched, and the language stays as it is. */
async function show(chosen: Language): Promise<boolean> {
  wanted = chosen;
  const known = await tableOf(chosen).catch(() => null);
  if (!known) return false;
  if (wanted !== chosen) return true; // another one was chosen while its words came
  language = chosen;
  table = known;
  document.documentElement.lang = chosen;
  refit();
  return true;
}

/** Fits the table to the names of the page and of the agent. */
function refit(): void {
  const known = agent && agent.toLowerCase() !== brand.name.toLowerCase() ? agent : brand.name;
  fit = { page: brand.name, agent: known, instead: brand.words[language] ?? {} };
  words = fitWords(table, fit);
  for (const changed of watchers) changed();
}

const current = () => words;

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

/** Reads who the agent says it is, and what there is to choose from. Unreadable values count as absent. */

import { language, words } from '../words/words';
import { type Attributes, parse } from './attributes';

export interface Persona {
  readonly name: string;
  /** Empty: the pipeline does not say. */
  readonly voice: string;
  /** ISO 639-1 code, or `auto`. */
  readonly language: string;
  /** It only writes; null: it does not say. */
  readonly textOnly: boolean | null;
}

export interface Choices {
  readonly voices: readonly string[];
  /** ISO 639-1 codes of what is understood. */
  readonly understood: readonly string[];
  /** ISO 639-1 codes of what is spoken. */
  readonly spoken: readonly string[];
  /** Names of who the agent may be; empty: it is only one. */
  readonly personas: readonly string[];
}

export interface LanguageChoice {
  readonly code: string;
  readonly name: string;
}

/** `spoken`: it answers in them, too; `own`: those of the person's browser; `others`: all that is understood besides. */
export interface LanguageGroup {
  readonly of: 'spoken' | 'own' | 'others';
  readonly languages: readonly LanguageChoice[];
}

export const AUTO = 'auto';

export function readPersona(attributes: Attributes): Persona | null {
  const { name, voice, language, modality } = parse(attributes['aura.persona']);
  if (typeof name !== 'string') return null;
  return {
    name,
    voice: typeof voice === 'string' ? voice : '',
    language: typeof language === 'string' ? language : AUTO,
    textOnly: typeof modality === 'string' ? modality === 'text' : null,
  };
}

/** ISO 639-1 code; undefined: whatever is heard. */
export function readSpokenLanguage(attributes: Attributes): string | undefined {
  const language = readPersona(attributes)?.language;
  return language === AUTO ? undefined : language;
}

export function readChoices(attributes: Attributes): Choices {
  const fields = parse(attributes['aura.choices']);
  return {
    voices: names(fields.voices),
    understood: names(fields.languages),
    spoken: names(fields.voice_languages),
    personas: names(fields.personas),
  };
}

/**
 * What a person may be heard in, if it has a name: what is spoken as well in front, then what they are likely to speak,
 * each group in the order of names. None is empty.
 *
 * @param wished the browser's languages, such as `de-AT`.
 */
export function languageGroups({ understood, spoken }: Choices, wished: readonly string[]): readonly LanguageGroup[] {
  const own = wished.map((wish) => wish.toLowerCase().split('-')[0]);
  const groupOf = (code: string) => (spoken.includes(code) ? 'spoken' : own.includes(code) ? 'own' : 'others');
  const groups = (['spoken', 'own', 'others'] as const).map((of) => ({
    of,
    languages: sorted(understood.filter((code) => groupOf(code) === of)),
  }));
  return groups.filter(({ languages }) => languages.length > 0);
}

/**
 * Those languages that begin with what is typed, or one of whose words does: in the language of the page, in their own,
 * in English, or by their code. All of them where nothing is typed.
 */
export function matching(groups: readonly LanguageGroup[], typed: string): readonly LanguageGroup[] {
  const sought = plain(typed);
  const fits = ({ code, name }: LanguageChoice) =>
    [name, nameIn(code, code), nameIn(code, 'en'), code].some((known) => ` ${plain(known)}`.includes(` ${sought}`));
  const found = groups.map((group) => ({ ...group, languages: group.languages.filter(fits) }));
  return found.filter(({ languages }) => languages.length > 0);
}

/** Which languages it answers in, if they are few: a sentence, or empty. */
export function spokenHint({ spoken }: Choices): string {
  const [only, ...others] = spoken;
  return only && others.length === 0 ? words.sheet.speaksOnly(languageName(only) ?? only) : '';
}

/** In the language of the page; undefined: the browser has no name for it. */
export function languageName(code: string): string | undefined {
  return nameIn(code, language);
}

function nameIn(code: string, where: string): string | undefined {
  try {
    return new Intl.DisplayNames([where], { type: 'language', fallback: 'none' }).of(code);
  } catch {
    return undefined; // it is no code
  }
}

/** In small letters, without accents: as people type it who search. */
function plain(text: string | undefined): string {
  return (text ?? '').trim().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}

function sorted(codes: readonly string[]): readonly LanguageChoice[] {
  const choices = codes.flatMap((code) => {
    const name = languageName(code);
    return name ? [{ code, name }] : [];
  });
  return choices.sort((one, other) => one.name.localeCompare(other.name));
}

function names(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}

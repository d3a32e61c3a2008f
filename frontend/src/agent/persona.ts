/** Reads who the agent says it is, and what there is to choose from. Unreadable values count as absent. */
import { type Attributes, parse } from './attributes';

export interface Persona {
  readonly name: string;
  /** Empty: the pipeline does not say. */
  readonly voice: string;
  /** ISO 639-1 code, or `auto`. */
  readonly language: string;
}

export interface Choices {
  readonly voices: readonly string[];
  /** ISO 639-1 codes of what is understood. */
  readonly understood: readonly string[];
  /** ISO 639-1 codes of what is spoken. */
  readonly spoken: readonly string[];
}

export interface LanguageChoice {
  readonly code: string;
  readonly name: string;
}

export const AUTO = 'auto';

export function readPersona(attributes: Attributes): Persona | null {
  const { name, voice, language } = parse(attributes['aura.persona']);
  if (typeof name !== 'string') return null;
  return {
    name,
    voice: typeof voice === 'string' ? voice : '',
    language: typeof language === 'string' ? language : AUTO,
  };
}

export function readChoices(attributes: Attributes): Choices {
  const fields = parse(attributes['aura.choices']);
  return {
    voices: names(fields.voices),
    understood: names(fields.languages),
    spoken: names(fields.voice_languages),
  };
}

/** What a person may be heard in: what is spoken as well in front, each part in the order of its names. */
export function languageChoices({ understood, spoken }: Choices): readonly LanguageChoice[] {
  const both = sorted(understood.filter((code) => spoken.includes(code)));
  const only = sorted(understood.filter((code) => !spoken.includes(code)));
  if (spoken.length === 0) return only;
  return [...both, ...only.map(({ code, name }) => ({ code, name: `${name} (understood, not spoken)` }))];
}

/** Which languages it answers in, if they are few: a sentence, or empty. */
export function spokenHint(name: string, { spoken }: Choices): string {
  const [only, ...others] = spoken;
  return only && others.length === 0 ? `${name} speaks ${languageName(only)} only.` : '';
}

export function languageName(code: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(code) ?? code;
  } catch {
    return code; // it is no code
  }
}

function sorted(codes: readonly string[]): readonly LanguageChoice[] {
  const choices = codes.map((code) => ({ code, name: languageName(code) }));
  return choices.sort((one, other) => one.name.localeCompare(other.name));
}

function names(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}

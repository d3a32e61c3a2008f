/** Fits a table of words to a brand and to the agent's name. Pure. */
import type { Words } from './en';

/** Stands in the tables for the agent's name, and in `about` for the page's. */
export const OWN_NAME = 'AURA';

export interface Fit {
  /** The page's name. */
  readonly page: string;
  /** The agent's name. */
  readonly agent: string;
  /** Texts in place of those of the table, by key, such as `door.start`. */
  readonly instead: Readonly<Record<string, string>>;
}

export function fitWords(table: Words, fit: Fit): Words {
  return Object.fromEntries(Object.entries(table).map(([part, texts]) => [part, fitPart(part, texts, fit)])) as Words;
}

/** @param part the name of the file that the texts are from. */
function fitPart<Texts extends object>(part: string, texts: Texts, { page, agent, instead }: Fit): Texts {
  if (page === OWN_NAME && agent === OWN_NAME && Object.keys(instead).length === 0) return texts;
  return walk(texts as unknown as Text, part, part === 'about' ? page : agent, instead) as unknown as Texts;
}

type Text = string | ((...figures: never[]) => string) | { readonly [key: string]: Text };

function walk<T extends Text>(text: T, key: string, name: string, instead: Fit['instead']): T {
  if (typeof text === 'string') return (instead[key] ?? text).replaceAll(OWN_NAME, () => name) as T;
  if (typeof text === 'function') {
    return ((...figures: never[]) => text(...figures).replaceAll(OWN_NAME, () => name)) as T;
  }
  const parts = Object.entries(text).map(([part, value]) => [part, walk(value, `${key}.${part}`, name, instead)]);
  return Object.fromEntries(parts) as T;
}

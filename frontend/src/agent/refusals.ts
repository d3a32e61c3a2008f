/** What the agent refuses, in the language of the page. Pure, but for that language. */
import { words } from '../words/words';

/** What a refusal may be of whatever the field is, by what the agent's own English says then. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^participants may not set/, 'forbidden'],
  [/does not answer just now|waits for the speech server/, 'unanswered'],
  [/^too many changes/, 'tooMany'],
];

/**
 * The sentence of a refusal `FIELD: sentence`, without its field: in the page's own words where it has some for that
 * reason or that field, else as the agent says it.
 */
export function refusalWords(refusal: string): string {
  const [, field = '', why = refusal] = refusal.match(/^([\w.]+): (.*)$/s) ?? [];
  const reason = REASONS.find(([pattern]) => pattern.test(why))?.[1] ?? '';
  const { refusals } = words.agent;
  return refusals[reason] ?? refusals[field] ?? why;
}

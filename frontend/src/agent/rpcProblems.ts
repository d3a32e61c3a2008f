/** Why the agent did not do what it was asked for by RPC, in words for the person. */
import type { Problem } from '../session/problems';
import { words } from '../words/words';
import { refusalWords } from './refusals';

/** With it the agent itself refuses: `FIELD: sentence`. Any other code is of the library or the server between. */
const REFUSED = 400;

/** The code of a problem with what is set; a newer one takes its place. */
export const SETTING = 'persona';

/** Empty: nothing is known, and the advice that always holds is to be given. */
export function whyNot(error: unknown): string {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  if (code === REFUSED) return typeof message === 'string' ? refusalWords(message) : '';
  return words.call.undone[String(code)] ?? '';
}

export function notSet(error: unknown): Problem {
  return { code: SETTING, title: words.call.unchanged, advice: whyNot(error) || words.call.unchangedAdvice };
}

/** The voice could not be heard: it is in use, as a rule, and nothing is wrong. */
export function notHeard(error: unknown): Problem {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  const field = code === REFUSED ? String(message).split(':', 1)[0] : '';
  const advice = words.call.sample.why[field ?? ''] ?? (whyNot(error) || words.call.unchangedAdvice);
  return { code: SETTING, title: words.call.sample.title, advice, passes: true };
}

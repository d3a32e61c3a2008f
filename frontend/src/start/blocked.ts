/** Why a device cannot be used before a call, in the few words that its card has room for. Pure. */
import type { Words } from '../words/words';

export type Refusal = 'denied' | 'missing' | 'taken' | 'failed';

/** Browsers name why they do not give a device. */
export function refusalOf(error: unknown): Refusal {
  const name = error instanceof Error ? error.name : '';
  if (/NotAllowed|PermissionDenied|SecurityError/.test(name)) return 'denied';
  if (/NotFound|Overconstrained/.test(name)) return 'missing';
  return /NotReadable|TrackStart/.test(name) ? 'taken' : 'failed';
}

/** The very device that was asked for is not there; another one may be. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && error.name === 'OverconstrainedError';
}

/** What stands in the card, and what helps; null: nothing is wrong. */
export function blockedWords(refusal: Refusal | null, words: Words): { what: string; help: string } | null {
  return refusal === null ? null : words.door.blocked[refusal];
}

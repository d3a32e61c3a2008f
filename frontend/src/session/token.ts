/** Asks `POST /api/token` for a place in a room, in the format of LiveKit's TokenSource.endpoint. */
import { personaWishes } from '../settings/settings';
import { settingsStore } from '../settings/store';
import { likedLanguages } from '../words/words';
import type { Place } from './choices';
import { type Problem, pageServerUnreachable, refusalWords, tokenRefused } from './problems';

export interface Grant {
  readonly serverUrl: string;
  readonly participantToken: string;
}

export type TokenAnswer =
  | { readonly kind: 'granted'; readonly grant: Grant }
  | { readonly kind: 'later'; readonly full: boolean; readonly message: string; readonly retryAfterS: number }
  | { readonly kind: 'refused'; readonly problem: Problem };

const TIMEOUT_MS = 10_000;
const DEFAULT_RETRY_S = 10;

/** Rejects only when `signal` was aborted by the caller. */
export async function requestToken(place: Place, signal: AbortSignal): Promise<TokenAnswer> {
  try {
    const response = await fetch('/api/token', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(tokenRequest(place, likedLanguages(), personaWishes(settingsStore.now()))),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const body: unknown = await response.json().catch(() => null);
    return readTokenAnswer(response.status, body, response.headers.get('Retry-After'));
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: 'refused', problem: pageServerUnreachable() };
  }
}

/** What the agent is told of the person before they have said anything: the languages they like, and what they chose. */
const LANGUAGES = 'aura.languages';
const PERSONA = 'aura.persona';

export function tokenRequest(
  place: Place,
  languages: readonly string[] = [],
  wishes: Readonly<Record<string, string | boolean>> = {},
): Record<string, unknown> {
  const attributes = {
    ...(languages.length > 0 && { [LANGUAGES]: languages.join(',') }),
    ...(Object.keys(wishes).length > 0 && { [PERSONA]: JSON.stringify(wishes) }),
  };
  return {
    ...(Object.keys(attributes).length > 0 && { participant_attributes: attributes }),
    ...(place.room ? { room_name: place.room } : {}),
    ...(place.identity ? { participant_identity: place.identity } : {}),
  };
}

export function readTokenAnswer(status: number, body: unknown, retryAfter: string | null): TokenAnswer {
  const fields = asRecord(body);
  const { server_url: serverUrl, participant_token: participantToken } = fields;
  if (status < 300 && typeof serverUrl === 'string' && typeof participantToken === 'string') {
    return { kind: 'granted', grant: { serverUrl, participantToken } };
  }
  const error = asRecord(fields.error);
  const message = typeof error.message === 'string' && error.message ? error.message : null;
  const reason = typeof error.code === 'string' ? error.code : null;
  const full = reason === 'full';
  const asked = positive(error.retry_after_s) ?? positive(retryAfter);
  if (full || (status === 503 && asked !== null)) {
    return { kind: 'later', full, message: refusalWords(reason, message), retryAfterS: asked ?? DEFAULT_RETRY_S };
  }
  return { kind: 'refused', problem: tokenRefused(status, reason, message) };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function positive(value: unknown): number | null {
  const number = value === null || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) && number > 0 ? number : null;
}

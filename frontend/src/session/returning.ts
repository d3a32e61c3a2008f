/** Remembers the last call of this tab, so that who leaves or reloads can return to the same agent. */
import type { Keeper } from '../storage/storage';
import type { Place } from './choices';

/** The agent waits a minute for its caller; stay well inside it. Milliseconds. */
export const RETURN_WITHIN_MS = 45_000;
/** A tab that crashes leaves a memory that is at most so old. */
export const REMEMBER_EVERY_MS = 5_000;

const KEY = 'aura.last-call';

export function remember(memory: Keeper, place: Place, nowMs: number): void {
  memory.setItem(KEY, JSON.stringify({ ...place, nowMs }));
}

export function forget(memory: Keeper): void {
  memory.removeItem(KEY);
}

export interface Recalled {
  readonly place: Place;
  /** How much longer one can return. */
  readonly leftMs: number;
}

export function recall(memory: Keeper, nowMs: number): Recalled | null {
  try {
    const last: unknown = JSON.parse(memory.getItem(KEY) ?? 'null');
    if (typeof last !== 'object' || last === null) return null;
    const { room, identity, nowMs: leftAtMs } = last as Record<string, unknown>;
    if (typeof room !== 'string' || typeof identity !== 'string' || typeof leftAtMs !== 'number') return null;
    const ageMs = nowMs - leftAtMs;
    return ageMs >= 0 && ageMs < RETURN_WITHIN_MS
      ? { place: { room, identity }, leftMs: RETURN_WITHIN_MS - ageMs }
      : null;
  } catch {
    return null;
  }
}

/** Keeps the captions of the tab's last call, so that who returns to it finds them. Bounded; gone with the tab. */
import type { Place } from '../session/choices';
import type { Keeper } from '../storage/storage';
import type { Line } from './conversation';

const KEY = 'aura.last-captions';
const KEPT = 50;
/** Of one line. */
const MOST_LETTERS = 2_000;

export function keepLines(memory: Pick<Keeper, 'getItem' | 'setItem'>, place: Place, lines: readonly Line[]): void {
  const newest = lines.slice(-KEPT).map((line) => ({ ...line, text: line.text.slice(0, MOST_LETTERS) }));
  memory.setItem(KEY, JSON.stringify({ of: nameOf(place), lines: newest }));
}

export function forgetLines(memory: Pick<Keeper, 'removeItem'>): void {
  memory.removeItem(KEY);
}

/** Empty for any call but the last one. */
export function keptLines(memory: Pick<Keeper, 'getItem' | 'setItem'>, place: Place): readonly Line[] {
  try {
    const kept = JSON.parse(memory.getItem(KEY) ?? 'null') as { of?: unknown; lines?: unknown } | null;
    if (kept?.of !== nameOf(place) || !Array.isArray(kept.lines)) return [];
    return kept.lines.filter(isLine).map((line) => ({ ...line, final: true }));
  } catch {
    return [];
  }
}

function nameOf({ room, identity }: Place): string {
  return JSON.stringify([room, identity]);
}

function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null) return false;
  const { key, side, text, waitedMs } = value as Record<string, unknown>;
  const strings = typeof key === 'string' && typeof text === 'string';
  return strings && (side === 'user' || side === 'agent') && (waitedMs === null || typeof waitedMs === 'number');
}

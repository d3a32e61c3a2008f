/** Whether the agent speaks of its own accord, as it says itself, and the words for it. */
import type { Attributes } from './attributes';

export const SPEAKS_UP = {
  title: 'Speaks up',
  on: 'AURA may say something unasked, of what it sees.',
  off: 'AURA speaks only when you ask.',
  blind: 'AURA speaks only when you ask: it cannot see yet.',
} as const;

/** Null: it does not say, and cannot be asked. */
export function readSpeaksUp(attributes: Attributes): boolean | null {
  try {
    const persona: unknown = JSON.parse(attributes['aura.persona'] || '{}');
    const known = typeof persona === 'object' && persona !== null && 'proactive' in persona;
    return known && typeof persona.proactive === 'boolean' ? persona.proactive : null;
  } catch {
    return null;
  }
}

/** What that means for the person, as long as the agent sees, or does not. */
export function speaksUpHint(on: boolean, sees: boolean | null): string {
  if (!on) return SPEAKS_UP.off;
  return sees === false ? SPEAKS_UP.blind : SPEAKS_UP.on;
}

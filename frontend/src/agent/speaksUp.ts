/** Whether the agent speaks of its own accord, as it says itself, and the words for it. */
import type { Attributes } from './attributes';

export const SPEAKS_UP = {
  title: 'Speaks up',
  on: 'AURA may say something unasked, of what it sees.',
  off: 'AURA speaks only when you ask.',
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

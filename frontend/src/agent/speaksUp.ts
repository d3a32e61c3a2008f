/** Whether the agent speaks of its own accord, as it says itself, and the words for it. */
import { type Attributes, parse } from './attributes';

export const SPEAKS_UP = {
  title: 'Speaks up',
  on: 'AURA may say something unasked, of what it sees.',
  off: 'AURA speaks only when you ask.',
} as const;

/** Null: it does not say, and cannot be asked. */
export function readSpeaksUp(attributes: Attributes): boolean | null {
  const { proactive } = parse(attributes['aura.persona']);
  return typeof proactive === 'boolean' ? proactive : null;
}

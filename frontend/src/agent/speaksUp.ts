/** Whether the agent speaks of its own accord, as it says itself. */
import { type Attributes, parse } from './attributes';

/** Null: it does not say, and cannot be asked. */
export function readSpeaksUp(attributes: Attributes): boolean | null {
  const { proactive } = parse(attributes['aura.persona']);
  return typeof proactive === 'boolean' ? proactive : null;
}

/** What AURA sees, in a line of its own words: from an attribute of the agent. Pure. */
import type { Attributes } from '../agent/attributes';

/** Letters that are shown; the line has at most 300. */
const MOST = 300;

/** The newest line, such as `a person, a book`; null: it sees nothing that it knows, or does not say. */
export function readObservation(attributes: Attributes): string | null {
  return attributes['aura.observation']?.trim().slice(0, MOST) || null;
}

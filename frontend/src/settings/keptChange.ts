/** What this browser keeps of a change of the persona. Pure. */
import type { Change } from './settings';

/** What is kept of a change that the agent has made. Who is chosen speaks with their own voice, unless one is named. */
export function keptOf(change: Readonly<Record<string, string | boolean | number>>): Change {
  const { persona, voice, language, proactive, speaks_first: speaksFirst, modality } = change;
  return {
    ...(typeof persona === 'string' && { persona, voice: null }),
    ...(typeof voice === 'string' && { voice }),
    ...(typeof language === 'string' && { language }),
    ...(typeof proactive === 'boolean' && { proactive }),
    ...(typeof speaksFirst === 'boolean' && { speaksFirst }),
    ...(typeof modality === 'string' && { textOnly: modality === 'text' }),
  };
}

/** Which voices and languages there are before a call: as the server says, else as the agent of the last call said. */
import type { About } from '../about/about';
import { type Choices, readChoices } from '../agent/persona';
import { kept } from '../storage/storage';

const KEY = 'aura.choices';

/** @param told the agent's attribute, as it came. */
export function keepChoices(told: string): void {
  kept.setItem(KEY, told);
}

export function keptChoices(): Choices {
  return readChoices({ [KEY]: kept.getItem(KEY) ?? '' });
}

/** What there is to choose from at the door. Each list is that of the last call where the server does not say. */
export function doorChoices(about: About | null, last: Choices): Choices {
  const told = (now: readonly string[] | undefined, before: readonly string[]) => (now?.length ? now : before);
  return {
    voices: told(about?.voices, last.voices),
    understood: told(about?.languages, last.understood),
    spoken: told(about?.voiceLanguages, last.spoken),
    // Not those of the last call: this server says by an empty list that there is one.
    personas: about?.personas ?? last.personas,
  };
}

/** The persona that was chosen, while it is offered: else nobody is wished for, and the next call refuses nothing. */
export function offeredPersona(chosen: string | null, personas: readonly string[]): string | null {
  return chosen !== null && personas.includes(chosen) ? chosen : null;
}

/** The voice that was chosen, or the only one; empty: it is the agent's own, which only a call tells. */
export function doorVoice(chosen: string | null, voices: readonly string[]): string {
  if (chosen !== null && voices.includes(chosen)) return chosen;
  return voices.length === 1 ? (voices[0] ?? '') : '';
}

/** Who the agent of this call is, and how the person changes that. */
import { useEffect } from 'react';
import { readChoices, readPersona } from '../agent/persona';
import { readSpeaksUp } from '../agent/speaksUp';
import type { AgentView } from '../agent/useAgent';
import type { PersonaChange, PersonaControl } from '../settings/controls';
import { keepChoices, offeredPersona } from '../settings/keptChoices';
import { settingsStore, useSettings } from '../settings/store';
import { words } from '../words/words';
import { useConfigure } from './useConfigure';

export function useCallPersona(agent: AgentView): PersonaControl {
  const attributes = agent.participant?.attributes ?? {};
  const settings = useSettings();
  const { configure, sample, pending } = useConfigure(agent.participant?.identity);
  const persona = readPersona(attributes) ?? { name: words.about.name, voice: '', language: 'auto', textOnly: null };
  const textOnly = persona.textOnly ?? settings.textOnly ?? false;
  const told = attributes['aura.choices'];
  useEffect(() => {
    if (!told) return;
    keepChoices(told);
    const { personas } = readChoices({ 'aura.choices': told });
    settingsStore.set({ persona: offeredPersona(settingsStore.now().persona, personas) });
  }, [told]);
  return {
    persona,
    choices: readChoices(attributes),
    speaksUp: agent.sees === false ? null : readSpeaksUp(attributes),
    textOnly,
    speaksFirst: settings.speaksFirst ?? true,
    pending: pending || !agent.participant,
    change: (change: PersonaChange) => configure(change),
    sample: textOnly ? null : sample,
    sampleProblem: '',
    inCall: true,
  };
}

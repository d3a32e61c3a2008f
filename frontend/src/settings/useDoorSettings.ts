/** The settings before a call: what is kept for the next one. */
import { useMemo, useState } from 'react';
import { useAbout } from '../about/useAbout';
import { AUTO } from '../agent/persona';
import { words } from '../words/words';
import type { DeviceControl, DeviceKind, PersonaControl } from './controls';
import { keptOf } from './keptChange';
import { doorChoices, doorVoice, keptChoices } from './keptChoices';
import type { Settings } from './settings';
import { settingsStore, useSettings } from './store';
import { useSample } from './useSample';

export const KEPT_AS = {
  audioinput: 'microphoneId',
  videoinput: 'cameraId',
  audiooutput: 'loudspeakerId',
} as const satisfies Record<DeviceKind, keyof Settings>;

export function useDoorPersona(): PersonaControl {
  const settings = useSettings();
  const about = useAbout();
  const [kept] = useState(keptChoices);
  const choices = doorChoices(about, kept);
  const chosen = choices.personas.find((name) => name === settings.persona);
  const voice = doorVoice(settings.voice, choices.voices);
  const { play, playing, problem } = useSample();
  const hear = () => play({ persona: chosen ?? '', voice, loudspeaker: settings.loudspeakerId ?? '' });
  return {
    persona: {
      name: chosen ?? choices.personas[0] ?? words.about.name,
      voice,
      language: settings.language ?? AUTO,
      textOnly: settings.textOnly,
    },
    choices,
    speaksUp: about?.sees === false ? null : (settings.proactive ?? true),
    textOnly: settings.textOnly ?? false,
    speaksFirst: settings.speaksFirst ?? true,
    pending: playing,
    change: (change) => settingsStore.set(keptOf(change)),
    sample: about?.samples && settings.textOnly !== true ? hear : null,
    sampleProblem: problem,
    inCall: false,
  };
}

export function useDoorDevices(): DeviceControl {
  const settings = useSettings();
  return useMemo(
    () => ({
      active: (kind) => settings[KEPT_AS[kind]] ?? '',
      pick: (kind, deviceId) => settingsStore.set({ [KEPT_AS[kind]]: deviceId || null }),
      suppressNoise: (noiseSuppression) => settingsStore.set({ noiseSuppression }),
      microphone: undefined,
    }),
    [settings],
  );
}

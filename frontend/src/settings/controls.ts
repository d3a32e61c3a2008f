/** What the settings act on: in a call the room and the agent, before it only what is kept for the next one. */
import type { Choices, Persona } from '../agent/persona';

export type DeviceKind = 'audioinput' | 'videoinput' | 'audiooutput';

export interface DeviceControl {
  /** The device in use; empty: the system's own. */
  active(kind: DeviceKind): string;
  pick(kind: DeviceKind, deviceId: string): void;
  suppressNoise(on: boolean): void;
  /** In a call: the microphone that is heard, or null while it is off. Undefined before one: it may be opened to try it. */
  readonly microphone: MediaStreamTrack | null | undefined;
}

/** A change of the persona, in the words of `aura.configure`. */
export type PersonaChange = Readonly<Record<string, string | boolean | number>>;

export interface PersonaControl {
  readonly persona: Persona;
  readonly choices: Choices;
  /** Null: it does not speak of its own accord here, or does not say. */
  readonly speaksUp: boolean | null;
  readonly textOnly: boolean;
  readonly speaksFirst: boolean;
  readonly pending: boolean;
  change(change: PersonaChange): void;
  /** Null: there is no voice to be heard yet. */
  readonly sample: (() => void) | null;
  /** Why the voice could not be heard before a call, in words; empty: it could. */
  readonly sampleProblem: string;
  /** A call is on: who speaks first matters in the next one. */
  readonly inCall: boolean;
}

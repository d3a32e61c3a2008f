/** What the person has set, before a call or in one: read from what is kept, changed one by one. Pure. */

export const CAPTION_SIZES = ['small', 'normal', 'large', 'huge'] as const;
export type CaptionSize = (typeof CAPTION_SIZES)[number];

/** Null: the person has chosen nothing, and it stays as the agent or the browser has it. */
export interface Settings {
  readonly microphone: boolean;
  readonly camera: boolean;
  readonly microphoneId: string | null;
  readonly cameraId: string | null;
  readonly loudspeakerId: string | null;
  readonly noiseSuppression: boolean;
  /** The name of who the agent shall be. */
  readonly persona: string | null;
  readonly voice: string | null;
  /** ISO 639-1 code, or `auto`. */
  readonly language: string | null;
  readonly speaksFirst: boolean | null;
  readonly proactive: boolean | null;
  /** AURA answers in writing, and the microphone is off. */
  readonly textOnly: boolean | null;
  /** The microphone is open only while a key or a button is held. */
  readonly holdToTalk: boolean;
  readonly captionSize: CaptionSize;
  readonly readCaptions: boolean;
  readonly letterKeys: boolean;
}

export const DEFAULTS: Settings = {
  microphone: true,
  camera: false,
  microphoneId: null,
  cameraId: null,
  loudspeakerId: null,
  noiseSuppression: true,
  persona: null,
  voice: null,
  language: null,
  speaksFirst: null,
  proactive: null,
  textOnly: null,
  holdToTalk: false,
  captionSize: 'normal',
  readCaptions: false,
  letterKeys: true,
};

export type Change = Partial<Settings>;

/** The same value where nothing changes. */
export function changed(settings: Settings, change: Change): Settings {
  const keys = Object.keys(change) as (keyof Settings)[];
  return keys.some((key) => settings[key] !== change[key]) ? { ...settings, ...change } : settings;
}

/** What was kept; whatever is not readable, or has another type by now, is as it was at first. */
export function readSettings(json: string | null): Settings {
  const fields = parsed(json);
  const taken = Object.entries(DEFAULTS).filter(([key, usual]) => fits(key, usual, fields[key]));
  return { ...DEFAULTS, ...Object.fromEntries(taken.map(([key]) => [key, fields[key]])) };
}

/** What the agent is told of it, in the words of `aura.configure`: only what the person has chosen. */
export function personaWishes(settings: Settings): Readonly<Record<string, string | boolean>> {
  const { persona, voice, language, proactive, speaksFirst, textOnly } = settings;
  return {
    ...(persona !== null && { persona }),
    ...(voice !== null && { voice }),
    ...(language !== null && { language }),
    ...(proactive !== null && { proactive }),
    ...(speaksFirst !== null && { speaks_first: speaksFirst }),
    ...(textOnly !== null && { modality: modalityOf(textOnly) }),
  };
}

export function modalityOf(textOnly: boolean): 'text' | 'audio' {
  return textOnly ? 'text' : 'audio';
}

const CHOSEN_FLAGS: readonly string[] = ['speaksFirst', 'proactive', 'textOnly'];

function fits(key: string, usual: unknown, value: unknown): boolean {
  if (key === 'captionSize') return CAPTION_SIZES.some((size) => size === value);
  if (usual !== null) return typeof value === typeof usual;
  return typeof value === (CHOSEN_FLAGS.includes(key) ? 'boolean' : 'string');
}

function parsed(json: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

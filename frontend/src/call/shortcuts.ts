/** Which key does what in a call. Pure. */
export type Shortcut = 'mute' | 'camera' | 'leave' | 'chat';

const KEYS: Readonly<Record<string, Shortcut>> = { m: 'mute', v: 'camera', escape: 'leave', '/': 'chat' };

export interface Press {
  readonly key: string;
  readonly modified: boolean;
  readonly repeated: boolean;
  /** The key was pressed where text is typed, or something is chosen, or a dialog or a popover is open. */
  readonly elsewhere: boolean;
}

/** @param characters whether keys with a character on them act: who dictates text wants none of it. */
export function shortcutOf(press: Press, characters = true): Shortcut | null {
  if (press.modified || press.repeated || press.elsewhere) return null;
  if (press.key.length === 1 && !characters) return null;
  return KEYS[press.key.toLowerCase()] ?? null;
}

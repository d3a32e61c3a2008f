/** Reads the attributes of the script tag. Pure. */
export interface LauncherOptions {
  readonly language: string;
  /** What stands on the button; null: the words of the language. */
  readonly label: string | null;
  readonly side: 'left' | 'right';
  readonly camera: boolean;
  readonly room: string | null;
  /** The window is open from the beginning. */
  readonly open: boolean;
}

const ALLOWED = {
  language: ['en', 'de'],
  side: ['left', 'right'],
  camera: ['on', 'off'],
  open: ['on', 'off'],
} as const;
const NAMES = new Set([...Object.keys(ALLOWED), 'label', 'room']);

/**
 * @param asked the `data-` attributes of the script tag.
 * @param wishes languages of the page and of its reader, for where none is asked for.
 * @param complain is told of each attribute that cannot be taken, by its name.
 */
export function readOptions(
  asked: Readonly<Record<string, string | undefined>>,
  wishes: readonly string[],
  complain: (fault: string) => void,
): LauncherOptions {
  for (const name of Object.keys(asked)) if (!NAMES.has(name)) complain(`data-${name} is not known`);
  const one = <T extends string>(name: string, allowed: readonly T[], otherwise: T): T => {
    const value = asked[name];
    if (value === undefined) return otherwise;
    const known = allowed.find((each) => each === value.toLowerCase().trim());
    if (!known) complain(`data-${name} is "${value}", and may be ${allowed.join(' or ')}`);
    return known ?? otherwise;
  };
  const wished = wishes.map((wish) => wish.toLowerCase().split('-')[0]);
  const spoken = wished.map((wish) => ALLOWED.language.find((known) => known === wish)).find(Boolean);
  return {
    language: one('language', ALLOWED.language, spoken ?? 'en'),
    label: asked.label?.trim() || null,
    side: one('side', ALLOWED.side, 'right'),
    camera: one('camera', ALLOWED.camera, 'off') === 'on',
    room: asked.room?.trim() || null,
    open: one('open', ALLOWED.open, 'off') === 'on',
  };
}

/** The address of the page in the window. */
export function pageAddress(script: string, { language, camera, room }: LauncherOptions): string {
  const address = new URL('/', script);
  address.searchParams.set('lang', language);
  if (camera) address.searchParams.set('camera', '1');
  if (room) address.searchParams.set('room', room);
  return address.href;
}

/** Whether the microphone is open while somebody holds something down to talk. Pure. */

/** What may be held; two fingers and a key may hold at once, and the last to let go closes it. */
export type Holder = 'key' | 'button';

export type Holding = ReadonlySet<Holder>;

export type HoldEvent =
  | { readonly type: 'press' | 'release'; readonly holder: Holder }
  /** The window lost the focus, or was hidden: nobody will be told of a release. */
  | { readonly type: 'dropped' };

export const NOBODY: Holding = new Set();

/** The same value where nothing changes, as with the repeats of a key that is held. */
export function held(holding: Holding, event: HoldEvent): Holding {
  if (event.type === 'dropped') return holding.size === 0 ? holding : NOBODY;
  const presses = event.type === 'press';
  if (holding.has(event.holder) === presses) return holding;
  return new Set(presses ? [...holding, event.holder] : [...holding].filter((holder) => holder !== event.holder));
}

/** How the microphone is used: it stays open, is open while it is held, or is off because the person only types. */
export type TalkMode = 'open' | 'held' | 'off';

export function modeOf(holdToTalk: boolean, textOnly: boolean): TalkMode {
  if (textOnly) return 'off';
  return holdToTalk ? 'held' : 'open';
}

/**
 * What becomes of the microphone; null: it stays as it is.
 *
 * @param before the mode until now; null: the call has just begun, and brings an open microphone itself.
 */
export function microphoneIn(mode: TalkMode, before: TalkMode | null, holding: Holding): boolean | null {
  if (mode === 'held') return holding.size > 0;
  if (mode === 'off') return false;
  return before === null || before === 'open' ? null : true;
}

export interface KeyHeld {
  readonly key: string;
  readonly modified: boolean;
  /** It was pressed where text is typed, or on something that the key itself presses. */
  readonly elsewhere: boolean;
}

export function holdsToTalk({ key, modified, elsewhere }: KeyHeld): boolean {
  return key === ' ' && !modified && !elsewhere;
}

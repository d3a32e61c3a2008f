/** Which of a phone's cameras is used, and which is next. Pure. */

export type Facing = 'user' | 'environment';

/** Cameras say which way they look in their settings, or in the name that the system gives them; else they look at the person. */
export function facingOf(settings: Pick<MediaTrackSettings, 'facingMode'>, label: string): Facing {
  if (settings.facingMode === 'environment' || settings.facingMode === 'user') return settings.facingMode;
  return /\b(back|rear|environment)\b/i.test(label) ? 'environment' : 'user';
}

/** The camera after the one that is used, and after the last the first; null: there is no other. */
export function cameraAfter(used: string | undefined, cameras: readonly string[]): string | null {
  const next = cameras[(cameras.indexOf(used ?? '') + 1) % cameras.length];
  return next === undefined || next === used ? null : next;
}

export function otherFacing(facing: Facing): Facing {
  return facing === 'user' ? 'environment' : 'user';
}

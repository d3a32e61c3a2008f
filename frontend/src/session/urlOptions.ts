/** What a link to the page may ask for: `?room=NAME&autostart=1&camera=0|1`; the server adds `?access=failed`. */
export interface UrlOptions {
  readonly room: string | null;
  readonly autostart: boolean;
  /** Null: the link says nothing of it. */
  readonly camera: boolean | null;
  /** The person comes back from a sign-in elsewhere, and may not call. */
  readonly signInFailed: boolean;
}

export function readUrlOptions(search: string): UrlOptions {
  const query = new URLSearchParams(search);
  return {
    room: query.get('room')?.trim() || null,
    autostart: query.get('autostart') === '1',
    camera: query.has('camera') ? query.get('camera') === '1' : null,
    signInFailed: query.get('access') === 'failed',
  };
}

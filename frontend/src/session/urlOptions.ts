/** What a link to the page may ask for: `?room=NAME&autostart=1&camera=0|1`. */
export interface UrlOptions {
  readonly room: string | null;
  readonly autostart: boolean;
  readonly camera: boolean;
}

export function readUrlOptions(search: string): UrlOptions {
  const query = new URLSearchParams(search);
  return {
    room: query.get('room')?.trim() || null,
    autostart: query.get('autostart') === '1',
    camera: query.get('camera') === '1',
  };
}

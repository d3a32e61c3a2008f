/** How the server is asked for a voice before a call, and why it refuses. Pure. */

export interface Sample {
  /** Empty: the one with whom a call begins. */
  readonly persona: string;
  /** Empty: the persona's own. */
  readonly voice: string;
  /** Empty: the system's own. */
  readonly loudspeaker: string;
}

export function sampleUrl({ persona, voice }: Sample): string {
  const asked = new URLSearchParams({ ...(persona && { persona }), ...(voice && { voice }) });
  return `/api/sample?${asked}`;
}

/** The code of a refusal; empty: it was none of the server's. */
export function unheard(error: unknown): string {
  const { error: refused } = Object(error) as { error?: unknown };
  const { code } = Object(refused) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/**
 * Gives the browser `crypto.randomUUID` where it keeps that from pages of plain http addresses: LiveKit's library names
 * every typed line and every request by it. RFC 9562, version 4.
 */

/** What of `crypto` it takes; random bytes are had at every address. */
export interface Source {
  randomUUID?: () => string;
  getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
}

export function provideRandomUuid(source: Source): void {
  source.randomUUID ??= () => {
    const bytes = source.getRandomValues(new Uint8Array(16));
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
}

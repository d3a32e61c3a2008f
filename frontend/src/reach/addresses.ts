/** Where another device reaches this page: what the server knows, and what the address bar proves. Pure, but for `addressForPhones`. */

export interface Reach {
  readonly address: string;
  /** Where a device is given the certificate that it must trust first; null: it trusts the page already. */
  readonly trust: string | null;
}

/** Null: nowhere, or the server does not say. */
export async function addressForPhones(signal: AbortSignal): Promise<Reach | null> {
  try {
    const response = await fetch('/api/reach', { signal });
    const body: unknown = response.ok ? await response.json() : null;
    const address = bestAddress(readAddresses(body), window.location.href);
    return address ? { address, trust: readTrust(body) } : null;
  } catch {
    return null;
  }
}

export function readAddresses(body: unknown): readonly string[] {
  const { addresses } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return Array.isArray(addresses) ? addresses.filter((address) => typeof address === 'string' && isUrl(address)) : [];
}

export function readTrust(body: unknown): string | null {
  const { trust } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return typeof trust === 'string' && isUrl(trust) ? trust : null;
}

/** The one at which the page is open, if others can reach that; else the first. */
export function bestAddress(addresses: readonly string[], here: string): string | null {
  const { hostname, origin } = new URL(here);
  const known = addresses.find((address) => new URL(address).hostname === hostname);
  return known ? `${origin}/` : (addresses[0] ?? null);
}

/** Browsers give no microphone to pages that come over plain http from elsewhere. */
export function givesMicrophones(address: string): boolean {
  return new URL(address).protocol === 'https:';
}

function isUrl(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

/** Says the password to `POST /api/access/password`; the server's cookie then goes with every request for a call. */

/** Null: it is the right one; else the code of why not. */
export async function enter(password: string): Promise<string | null> {
  try {
    const response = await fetch('/api/access/password', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ password }),
      signal: AbortSignal.timeout(10_000),
    });
    return response.ok ? null : readRefusal(await response.json().catch(() => null));
  } catch {
    return 'away';
  }
}

/** What a call needs that was refused with this code; null: something else is wrong. */
export function wantedAccess(code: string | null): 'password' | 'sign_in' | null {
  return code === 'password' || code === 'sign_in' ? code : null;
}

export function readRefusal(body: unknown): string {
  const error = (body as { error?: { code?: unknown } } | null)?.error;
  return typeof error?.code === 'string' ? error.code : 'other';
}

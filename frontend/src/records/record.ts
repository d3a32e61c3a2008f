/** Asks the page's server for the record of a call, or to delete it, with the token with which the call was joined. */
const TIMEOUT_MS = 60_000;
const NONE = 404;

/** The sound as far as it is written; null: it could not be had. */
export async function fetchSound(token: string): Promise<Blob | null> {
  const response = await ask('/api/record/sound', token);
  return response?.ok ? response.blob().catch(() => null) : null;
}

/** What the server has written of the call, unread; null: it could not be had. */
export async function fetchTimeline(token: string): Promise<unknown> {
  const response = await ask('/api/record', token);
  return response?.ok ? response.json().catch(() => null) : null;
}

/** Whether there is none any more. */
export async function deleteRecord(token: string): Promise<boolean> {
  const response = await ask('/api/record', token, 'DELETE');
  return response !== null && (response.ok || response.status === NONE);
}

async function ask(address: string, token: string, method: 'GET' | 'DELETE' = 'GET'): Promise<Response | null> {
  try {
    const headers = { Authorization: `Bearer ${token}` };
    return await fetch(address, { method, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    return null;
  }
}

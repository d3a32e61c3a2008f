/** Tells the page's server how a call was: `POST /api/feedback`, with the token with which it was joined. */
export interface Feedback {
  readonly thumb: 'up' | 'down';
  readonly sentence: string;
}

/** As the server takes them. */
export const MOST_LETTERS = 500;
const TIMEOUT_MS = 10_000;

/** Whether it was written down. */
export async function sendFeedback(token: string, { thumb, sentence }: Feedback): Promise<boolean> {
  try {
    const response = await fetch('/api/feedback', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ thumb, sentence: sentence.trim().slice(0, MOST_LETTERS) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return response.ok;
  } catch {
    return false;
  }
}

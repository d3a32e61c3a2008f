/** Fetches what a call needs and the start screen does not: LiveKit's library, most of all, and its words. */
import { bringAllWords } from '../words/words';

export type CallParts = typeof import('../call/parts');

let loading: Promise<CallParts> | null = null;
let parts: CallParts | null = null;

/** Once; after a failure again. Rejects where the page's server does not answer. */
export function loadCall(): Promise<CallParts> {
  loading ??= Promise.all([import('../call/parts'), bringAllWords()]).then(
    ([loaded]) => {
      parts = loaded;
      return loaded;
    },
    (error) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}

/** What was fetched; null: nothing yet. */
export function loadedCall(): CallParts | null {
  return parts;
}

/** Fetches it while the person reads, as soon as the browser has nothing else to do. A failure is told at the press. */
export function loadCallWhenIdle(): void {
  const load = () => void loadCall().catch(() => {});
  if ('requestIdleCallback' in window) window.requestIdleCallback(load, { timeout: 2_000 });
  else setTimeout(load, 500);
}

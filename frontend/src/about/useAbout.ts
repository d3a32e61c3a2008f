/** Asks the server what this installation is, again and again until it is ready. */
import { createContext, useContext, useEffect, useState } from 'react';
import { type About, readAbout } from './about';

const AGAIN_MS = 3_000;
const TIMEOUT_MS = 10_000;

/** What is known; null: nothing yet, or the server does not say. */
export const AboutContext = createContext<About | null>(null);

export function useAbout(): About | null {
  return useContext(AboutContext);
}

/** @param asks false during a call: it shows by itself what the installation can do. */
export function useAskedAbout(asks: boolean): About | null {
  const [about, setAbout] = useState<About | null>(null);
  const settled = about?.state === 'ready';
  useEffect(() => {
    if (!asks || settled) return;
    const controller = new AbortController();
    const ask = async () => {
      const answer = await askAbout(controller.signal);
      if (!controller.signal.aborted && answer) setAbout(answer);
    };
    void ask();
    const timer = setInterval(ask, AGAIN_MS);
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [asks, settled]);
  return about;
}

async function askAbout(signal: AbortSignal): Promise<About | null> {
  try {
    const response = await fetch('/api/about', { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
    return response.ok ? readAbout(await response.json()) : null;
  } catch {
    return null;
  }
}

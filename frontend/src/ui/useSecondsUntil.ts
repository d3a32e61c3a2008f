/** Whole seconds until a moment on the clock of `performance.now()`, counted down while shown. */
import { useEffect, useState } from 'react';

export function useSecondsUntil(momentMs: number): number {
  const left = () => Math.max(0, Math.ceil((momentMs - performance.now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.max(0, Math.ceil((momentMs - performance.now()) / 1000))), 250);
    return () => clearInterval(timer);
  }, [momentMs]);
  return seconds;
}

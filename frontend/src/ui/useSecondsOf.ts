/** Whole seconds for which a condition has held without a break, counted up while it does. */
import { useEffect, useState } from 'react';

export function useSecondsOf(condition: boolean): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!condition) return;
    const beganMs = performance.now();
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - beganMs) / 1000)), 200);
    return () => {
      clearInterval(timer);
      setSeconds(0);
    };
  }, [condition]);
  return condition ? seconds : 0;
}

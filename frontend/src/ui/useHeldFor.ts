/** True once a condition has held for some time without a break. */
import { useEffect, useState } from 'react';

export function useHeldFor(condition: boolean, forMs: number): boolean {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (!condition) return;
    const timer = setTimeout(() => setHeld(true), forMs);
    return () => {
      clearTimeout(timer);
      setHeld(false);
    };
  }, [condition, forMs]);
  return condition && held;
}

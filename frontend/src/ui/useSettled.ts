/** Whether a promise has settled, one way or the other. */
import { useEffect, useState } from 'react';

export function useSettled(promise: Promise<unknown>): boolean {
  const [settled, setSettled] = useState<Promise<unknown> | null>(null);
  useEffect(() => {
    let waits = true;
    const done = () => {
      if (waits) setSettled(promise);
    };
    promise.then(done, done);
    return () => {
      waits = false;
    };
  }, [promise]);
  return settled === promise;
}

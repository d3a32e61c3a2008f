/** Whether the details of a call are open: shut for newcomers, and at a desk as they were left last time. */
import { useCallback, useState } from 'react';
import { kept } from '../storage/storage';

const KEY = 'aura.details';
/** Where they stand beside the words; elsewhere they would cover them at the begin of a call. */
const BESIDE = '(min-width: 1100px)';

export function useDetails(): readonly [boolean, (open: boolean) => void] {
  const [open, setOpen] = useState(() => kept.getItem(KEY) === 'open' && window.matchMedia(BESIDE).matches);
  const choose = useCallback((next: boolean) => {
    kept.setItem(KEY, next ? 'open' : 'shut');
    setOpen(next);
  }, []);
  return [open, choose];
}

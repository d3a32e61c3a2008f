/** Lets the style sheets know how large captions shall be. */
import { useEffect } from 'react';
import type { CaptionSize } from './settings';

export function useCaptionSize(size: CaptionSize): void {
  useEffect(() => {
    document.documentElement.dataset.captions = size;
  }, [size]);
}

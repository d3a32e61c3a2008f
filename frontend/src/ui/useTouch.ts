/** Whether the person points with a finger, and has no keys to press: words for them speak of tapping. */
import { useSyncExternalStore } from 'react';

const query = () => window.matchMedia('(hover: none) and (pointer: coarse)');

function subscribe(listener: () => void): () => void {
  const media = query();
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}

export function useTouch(): boolean {
  return useSyncExternalStore(subscribe, isTouch, () => false);
}

export function isTouch(): boolean {
  return typeof window !== 'undefined' && query().matches;
}

/** Keeps an ear on a track for as long as a component shows it. */
import { type RefObject, useEffect, useRef } from 'react';
import { type Ear, openEar } from './ear';

export function useEar(track: MediaStreamTrack | undefined): RefObject<Ear | null> {
  const ear = useRef<Ear | null>(null);
  useEffect(() => {
    if (!track) return;
    const opened = openEar(track);
    ear.current = opened;
    return () => {
      ear.current = null;
      opened.close();
    };
  }, [track]);
  return ear;
}

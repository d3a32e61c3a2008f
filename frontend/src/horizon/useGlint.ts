/** Has the sun glint at each picture of the person that the agent takes. */
import { useRoomContext } from '@livekit/components-react';
import { type RefObject, useEffect, useRef } from 'react';
import { onFrameTaken } from '../pictures/frameTaken';
import { prefersReducedMotion } from '../ui/reducedMotion';

const GLINT_MS = 420;
/** Where on the disc, one after the other; degrees from where it is drawn. */
const PLACES = [0, -46, 14, -24, -62];

export function useGlint(glints: boolean): RefObject<HTMLDivElement | null> {
  const room = useRoomContext();
  const glint = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!glints) return;
    let taken = 0;
    return onFrameTaken(room, () => {
      taken += 1;
      if (prefersReducedMotion()) return;
      const transform = `rotate(${PLACES[taken % PLACES.length]}deg)`;
      const keyframes = [0, 0.95, 0].map((opacity) => ({ opacity, transform }));
      glint.current?.animate(keyframes, { duration: GLINT_MS, easing: 'ease-out' });
    });
  }, [room, glints]);
  return glint;
}

/** Draws how loud a track is: writes `--level` of an element, and tells whether somebody speaks. */
import { type RefObject, useEffect, useState } from 'react';
import { openEar } from './ear';
import { follow } from './level';
import { nextGate, SHUT } from './voiceGate';

/** Thirty times a second are smooth for a voice and spare a phone; half as often is enough to notice that one begins. */
const DRAWN_EVERY_MS = 33;
const HEARD_EVERY_MS = 66;
/** Less than this cannot be seen. */
const LEAST_CHANGE = 0.01;

export function useLevel(track: MediaStreamTrack | undefined, drawn: RefObject<HTMLElement | null>): boolean {
  const [speaks, setSpeaks] = useState(false);
  useEffect(() => {
    if (!track) return;
    const ear = openEar(track);
    let level = 0;
    let written = 0;
    let gate = SHUT;
    let lastMs = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A timer and no animation frame: as long as nothing changes, nothing is drawn, and no frame is asked for.
    const step = (): void => {
      const nowMs = performance.now();
      const heard = ear.level();
      level = follow(level, heard, nowMs - lastMs);
      lastMs = nowMs;
      if (Math.abs(level - written) >= LEAST_CHANGE || (level === 0 && written !== 0)) {
        written = level;
        drawn.current?.style.setProperty('--level', level.toFixed(2));
      }
      const next = nextGate(gate, heard, nowMs);
      if (next.open !== gate.open) setSpeaks(next.open);
      gate = next;
      timer = setTimeout(step, level > 0 ? DRAWN_EVERY_MS : HEARD_EVERY_MS);
    };
    step();
    return () => {
      clearTimeout(timer);
      ear.close();
      setSpeaks(false);
      drawn.current?.style.removeProperty('--level');
    };
  }, [track, drawn]);
  return speaks;
}

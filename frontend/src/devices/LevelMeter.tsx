/** Shows how loud a microphone is, as a bar that follows the voice. */
import { useRef } from 'react';
import { useLevel } from '../sound/useLevel';

export function LevelMeter({ track, label }: { readonly track: MediaStreamTrack; readonly label: string }) {
  const bar = useRef<HTMLDivElement>(null);
  const heard = useLevel(track, bar);
  return <div className="level" ref={bar} role="img" aria-label={label} data-testid="level" data-heard={heard} />;
}

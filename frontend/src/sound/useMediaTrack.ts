/** The browser's track behind a LiveKit publication, followed through mutes and device changes. */
import { type LocalTrack, type RemoteTrack, TrackEvent, type TrackPublication } from 'livekit-client';
import { useEffect, useState } from 'react';

export function useMediaTrack(publication: TrackPublication | undefined): MediaStreamTrack | undefined {
  const track = publication?.track as LocalTrack | RemoteTrack | undefined;
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!track) return;
    const changed = () => redraw((count) => count + 1);
    track.on(TrackEvent.Restarted, changed).on(TrackEvent.Unmuted, changed);
    return () => {
      track.off(TrackEvent.Restarted, changed).off(TrackEvent.Unmuted, changed);
    };
  }, [track]);
  return publication?.isMuted ? undefined : track?.mediaStreamTrack;
}

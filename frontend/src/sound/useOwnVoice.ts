/** The person's own microphone as the page hears it, for its level alone: also while they are muted. */
import { type LocalTrack, TrackEvent, type TrackPublication } from 'livekit-client';
import { useEffect, useState } from 'react';

/**
 * A copy of the track that is published. Muting disables that one, which then gives silence and is sent as such; its
 * copy goes on hearing, so that the page can say to somebody who speaks into it that they are muted. Of the copy only
 * the level is taken: it is never published, and it ends with the call.
 */
export function useOwnVoice(publication: TrackPublication | undefined): MediaStreamTrack | undefined {
  const track = publication?.track as LocalTrack | undefined;
  const [copy, setCopy] = useState<MediaStreamTrack>();
  useEffect(() => {
    if (!track) return;
    let current: MediaStreamTrack | undefined;
    const copied = () => {
      current?.stop();
      current = track.mediaStreamTrack.clone();
      current.enabled = true;
      setCopy(current);
    };
    copied();
    track.on(TrackEvent.Restarted, copied);
    return () => {
      track.off(TrackEvent.Restarted, copied);
      current?.stop();
      setCopy(undefined);
    };
  }, [track]);
  return copy;
}

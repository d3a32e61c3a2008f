/** What the person shows: their screen if it is shared, else their camera; nothing when both are off. */
import { useTracks, VideoTrack } from '@livekit/components-react';
import { Track } from 'livekit-client';

export function SelfView() {
  const tracks = useTracks([Track.Source.ScreenShare, Track.Source.Camera]).filter(
    ({ participant, publication }) => participant.isLocal && !publication.isMuted,
  );
  const screen = tracks.find(({ source }) => source === Track.Source.ScreenShare);
  const shown = screen ?? tracks[0];
  if (!shown) return null;
  return (
    <figure className="self" data-testid="self-view" data-source={shown.source}>
      <VideoTrack trackRef={shown} aria-label={screen ? 'Your screen' : 'Your camera'} />
      <figcaption>{screen ? 'Your screen' : 'You'}</figcaption>
    </figure>
  );
}

/** What the person shows: their screen if it is shared, else their camera; nothing when both are off. It says so if nobody sees it. */
import { useTracks, VideoTrack } from '@livekit/components-react';
import { Track } from 'livekit-client';

export function SelfView({ sees }: { readonly sees: boolean | null }) {
  const tracks = useTracks([Track.Source.ScreenShare, Track.Source.Camera]).filter(
    ({ participant, publication }) => participant.isLocal && !publication.isMuted,
  );
  const screen = tracks.find(({ source }) => source === Track.Source.ScreenShare);
  const shown = screen ?? tracks[0];
  if (!shown) return null;
  return (
    <figure className="self" data-testid="self-view" data-source={shown.source} data-sees={sees ?? ''}>
      <VideoTrack trackRef={shown} aria-label={screen ? 'Your screen' : 'Your camera'} />
      <figcaption>
        <span className="whose">{screen ? 'Your screen' : 'You'}</span>
        {sees === false && <span>not seen yet</span>}
      </figcaption>
    </figure>
  );
}

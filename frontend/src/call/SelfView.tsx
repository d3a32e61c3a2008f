/** What the person shows: the picture that AURA is shown, else their screen or their camera; nothing when both are off. It says so if nobody sees it. */
import { useTracks, VideoTrack } from '@livekit/components-react';
import { Track } from 'livekit-client';
import type { Shown } from '../agent/attributes';
import { ownPicture, ownPictureWords } from './sharing';

interface Props {
  /** AURA looks at pictures; null: not known. */
  readonly sees: boolean | null;
  /** Which picture AURA is shown now. */
  readonly shown: Shown | null;
}

const SOURCES = { [Track.Source.ScreenShare]: 'screen', [Track.Source.Camera]: 'camera' } as const;

export function SelfView({ sees, shown }: Props) {
  const tracks = useTracks([Track.Source.ScreenShare, Track.Source.Camera])
    .filter(({ participant, publication }) => participant.isLocal && !publication.isMuted)
    .map((track) => ({ track, gives: SOURCES[track.source as keyof typeof SOURCES] }));
  const own = ownPicture(
    tracks.map(({ gives }) => gives),
    shown,
  );
  const picture = tracks.find(({ gives }) => gives === own)?.track;
  if (!own || !picture) return null;
  return (
    <figure
      className="self"
      data-testid="self-view"
      data-source={picture.source}
      data-sees={sees ?? ''}
      data-shown={shown ?? ''}
    >
      <VideoTrack trackRef={picture} aria-label={own === 'screen' ? 'Your screen' : 'Your camera'} />
      <figcaption>
        <span className="whose">{ownPictureWords(own, shown)}</span>
        {sees === false && <span>not seen yet</span>}
      </figcaption>
    </figure>
  );
}

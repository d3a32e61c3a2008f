/**
 * What the person shows: the picture that AURA is shown, else their screen or their camera; nothing when both are off.
 *
 * Its ring flashes with each picture that AURA takes, and it says so if nobody sees it.
 */
import { type TrackReference, useTracks, VideoTrack } from '@livekit/components-react';
import { Track } from 'livekit-client';
import { useRef } from 'react';
import type { Shown } from '../agent/attributes';
import { prepareStill } from '../pictures/prepare';
import { pictureNotShown } from '../pictures/problems';
import { useFlip } from '../pictures/useFlip';
import { useFramesTaken } from '../pictures/useFramesTaken';
import { SeenLine } from '../seeing/SeenLine';
import { useReporter } from '../toasts/reporter';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { ownPicture, ownPictureWords } from './sharing';

interface Props {
  /** AURA looks at pictures; null: not known. */
  readonly sees: boolean | null;
  /** Which picture AURA is shown now. */
  readonly shown: Shown | null;
  /** Shows AURA a still. */
  readonly show: (jpeg: Blob) => Promise<void>;
}

const SOURCES = { [Track.Source.ScreenShare]: 'screen', [Track.Source.Camera]: 'camera' } as const;

export function SelfView(props: Props) {
  const tracks = useTracks([Track.Source.ScreenShare, Track.Source.Camera])
    .filter(({ participant, publication }) => participant.isLocal && !publication.isMuted)
    .map((track) => ({ track, gives: SOURCES[track.source as keyof typeof SOURCES] }));
  const own = ownPicture(
    tracks.map(({ gives }) => gives),
    props.shown,
  );
  const picture = tracks.find(({ gives }) => gives === own)?.track;
  return own && picture ? <OwnPicture {...props} own={own} picture={picture} /> : null;
}

function OwnPicture({ sees, shown, show, own, picture }: Props & { own: Shown; picture: TrackReference }) {
  const video = useRef<HTMLVideoElement>(null);
  const taken = useFramesTaken();
  const { facing, turn } = useFlip();
  const { report, withdraw } = useReporter();
  const camera = own === 'camera';
  const still = async () => {
    if (!video.current?.videoWidth) return;
    withdraw(pictureNotShown(null).code);
    const { jpeg, url } = await prepareStill(video.current);
    URL.revokeObjectURL(url);
    await show(jpeg);
  };
  return (
    <figure
      className="self"
      data-testid="self-view"
      data-source={picture.source}
      data-facing={facing}
      data-sees={sees ?? ''}
      data-shown={shown ?? ''}
      data-taken={taken}
    >
      <VideoTrack ref={video} trackRef={picture} aria-label={words.call.your[own]} />
      {taken > 0 && own === shown && <span className="taken" key={taken} aria-hidden="true" />}
      <figcaption>
        <span className="whose">{ownPictureWords(own, shown)}</span>
        {sees === false && <span>{words.call.notSeen}</span>}
        {own === shown && <SeenLine />}
      </figcaption>
      {camera && (
        <div className="self-tools">
          {turn && (
            <button
              type="button"
              data-testid="flip"
              aria-label={words.showing.flip}
              title={words.showing.flip}
              onClick={turn}
            >
              <Icon name="flip" />
            </button>
          )}
          {sees !== false && (
            <button
              type="button"
              data-testid="still"
              aria-label={words.showing.still}
              title={words.showing.still}
              onClick={() => still().catch((error: unknown) => report(pictureNotShown(error)))}
            >
              <Icon name="still" />
            </button>
          )}
        </div>
      )}
    </figure>
  );
}

/** Turns the camera of a call from the person to what is before them, and back. */
import { useLocalParticipant } from '@livekit/components-react';
import { LocalVideoTrack, VideoPresets } from 'livekit-client';
import { useCallback, useState } from 'react';
import { deviceProblem } from '../session/problems';
import { useReporter } from '../toasts/reporter';
import { useDevices } from '../ui/useDevices';
import { useTouch } from '../ui/useTouch';
import { type Facing, facingOf, otherFacing } from './cameras';
import { type TurnedCamera, turnTo } from './turnTo';

export interface Flip {
  readonly facing: Facing;
  /** Null: there is only one camera, or one chooses it by its name. */
  readonly turn: (() => void) | null;
}

export function useFlip(): Flip {
  const { cameraTrack } = useLocalParticipant();
  const { report } = useReporter();
  const cameras = useDevices('videoinput');
  const touch = useTouch();
  const [asked, setAsked] = useState<{ readonly facing: Facing; readonly deviceId: string | undefined } | null>(null);
  const track = cameraTrack?.track;
  const media = track?.mediaStreamTrack;
  const settings = media?.getSettings();
  const known = settings && asked?.deviceId === settings.deviceId ? asked?.facing : null; // of a camera turned to by hand
  const facing = known ?? (media && settings ? facingOf(settings, media.label) : 'user');
  const turn = useCallback(() => {
    if (!(track instanceof LocalVideoTrack)) return;
    const next = otherFacing(facing);
    const ids = cameras.map(({ deviceId }) => deviceId);
    turnTo(camera(track), next, ids)
      .then(() => setAsked({ facing: next, deviceId: camera(track).used() }))
      .catch((error: unknown) => report(deviceProblem('camera', error)));
  }, [track, facing, cameras, report]);
  return { facing, turn: cameras.length > 1 && touch ? turn : null };
}

function camera(track: LocalVideoTrack): TurnedCamera {
  const { resolution } = VideoPresets.h720;
  return {
    used: () => track.mediaStreamTrack.getSettings().deviceId,
    open: (wish) => track.restartTrack({ resolution, ...wish }),
  };
}

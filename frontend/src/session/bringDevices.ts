/** Opens the chosen devices while the room connects and publishes them once it has: nobody waits, no word is lost. */
import {
  ConnectionState,
  createLocalAudioTrack,
  createLocalVideoTrack,
  LocalAudioTrack,
  type LocalVideoTrack,
  type Room,
} from 'livekit-client';
import { publishWithEarlySound } from '../sound/earlySound';
import type { Choices } from './choices';
import { type Device, deviceProblem, insecurePage, type Problem } from './problems';

/** Whether each comes into the call, as soon as that is known: it may wait for the person to allow it. */
export interface Brought {
  readonly microphone: Promise<boolean>;
  readonly camera: Promise<boolean>;
}

/** A device that fails is reported and does not end the call. `joined` settles when the room is connected, or is not. */
export function bringDevices(
  room: Room,
  choices: Choices,
  joined: Promise<void>,
  report: (problem: Problem) => void,
): Brought {
  const none = Promise.resolve(false);
  if (!navigator.mediaDevices) {
    if (choices.microphone || choices.camera) report(insecurePage());
    return { microphone: none, camera: none };
  }
  const bring = (device: Device, open: () => Promise<LocalAudioTrack | LocalVideoTrack>): Promise<boolean> => {
    const failed = (error: unknown) => {
      report(deviceProblem(device, error));
      return false;
    };
    return open().then((track) => publish(room, track, joined, choices.holdToTalk, failed), failed);
  };
  const film = () => createLocalVideoTrack(room.options.videoCaptureDefaults);
  const hear = () => createLocalAudioTrack(room.options.audioCaptureDefaults);
  return {
    camera: choices.camera ? bring('camera', film) : none,
    microphone: choices.microphone ? bring('microphone', hear) : none,
  };
}

/** Closes the device again when it cannot come into the call, and returns whether it did. */
async function publish(
  room: Room,
  track: LocalAudioTrack | LocalVideoTrack,
  joined: Promise<void>,
  holdToTalk: boolean,
  failed: (error: unknown) => boolean,
): Promise<boolean> {
  try {
    // Keeps up to ten seconds of what is said before the agent has joined, and sends it to the agent.
    // Who holds to talk has held nothing yet: their microphone comes muted.
    if (track instanceof LocalAudioTrack) await (holdToTalk ? track.mute() : track.startPreConnectBuffer());
    await joined;
    if (room.state !== ConnectionState.Connected) throw new Error('the call is over');
    const published = () => room.localParticipant.publishTrack(track);
    await (track instanceof LocalAudioTrack
      ? publishWithEarlySound(room.localParticipant, track, published)
      : published());
    return true;
  } catch (error) {
    if (track instanceof LocalAudioTrack) track.stopPreConnectBuffer();
    track.stop();
    return room.state === ConnectionState.Connected && failed(error); // of a call that is over more is told elsewhere
  }
}

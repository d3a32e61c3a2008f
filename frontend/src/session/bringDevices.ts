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

/**
 * A device that fails is reported and does not end the call. `joined` settles when the room is connected, or is not.
 *
 * @returns whether the microphone comes into the call, as soon as that is known.
 */
export function bringDevices(
  room: Room,
  choices: Choices,
  joined: Promise<void>,
  report: (problem: Problem) => void,
): Promise<boolean> {
  const none = Promise.resolve(false);
  if (!navigator.mediaDevices) {
    if (choices.microphone || choices.camera) report(insecurePage());
    return none;
  }
  const bring = (device: Device, open: () => Promise<LocalAudioTrack | LocalVideoTrack>): Promise<boolean> => {
    const failed = (error: unknown) => {
      report(deviceProblem(device, error));
      return false;
    };
    return open().then((track) => publish(room, track, joined, choices.holdToTalk, failed), failed);
  };
  if (choices.camera) void bring('camera', () => createLocalVideoTrack(room.options.videoCaptureDefaults));
  if (!choices.microphone) return none;
  return bring('microphone', () => createLocalAudioTrack(room.options.audioCaptureDefaults));
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

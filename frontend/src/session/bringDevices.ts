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

/** A device that fails is reported and does not end the call. `joined` settles when the room is connected, or is not. */
export function bringDevices(
  room: Room,
  choices: Choices,
  joined: Promise<void>,
  report: (problem: Problem) => void,
): void {
  if (!navigator.mediaDevices) {
    if (choices.microphone || choices.camera) report(insecurePage());
    return;
  }
  const bring = (device: Device, open: () => Promise<LocalAudioTrack | LocalVideoTrack>): void => {
    open().then(
      (track) => publish(room, track, joined, choices.holdToTalk),
      (error) => report(deviceProblem(device, error)),
    );
  };
  if (choices.microphone) bring('microphone', () => createLocalAudioTrack(room.options.audioCaptureDefaults));
  if (choices.camera) bring('camera', () => createLocalVideoTrack(room.options.videoCaptureDefaults));
}

/** Closes the device again when there is no call to bring it into. */
async function publish(
  room: Room,
  track: LocalAudioTrack | LocalVideoTrack,
  joined: Promise<void>,
  holdToTalk: boolean,
): Promise<void> {
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
  } catch {
    if (track instanceof LocalAudioTrack) track.stopPreConnectBuffer();
    track.stop();
  }
}

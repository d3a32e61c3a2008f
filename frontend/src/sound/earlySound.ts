/** The sound that is recorded before the agent hears: it ends as soon as the agent does, and before its call ends. */
import type { LocalAudioTrack, LocalParticipant, LocalTrackPublication } from 'livekit-client';

/** Nobody waits longer to leave. */
const PATIENCE_MS = 250;

type Track = Pick<LocalAudioTrack, 'stopPreConnectBuffer'>;

/**
 * Publishes the track. livekit-client misses that an agent hears it, where that is told before publishing has ended: an
 * agent that was in the room before would be sent a recording of ten seconds beside the track.
 */
export async function publishWithEarlySound(
  participant: Pick<LocalParticipant, 'on' | 'off'>,
  track: Track,
  publish: () => Promise<unknown>,
): Promise<void> {
  let heard = false;
  const subscribed = (publication: Pick<LocalTrackPublication, 'track'>): void => {
    heard ||= publication.track === (track as unknown);
  };
  participant.on('localTrackSubscribed', subscribed);
  try {
    await publish();
  } finally {
    participant.off('localTrackSubscribed', subscribed);
  }
  if (heard) track.stopPreConnectBuffer(); // not before: what was recorded would not be sent
}

/**
 * Ends the recording, and resolves once it has ended: where its room is left before, livekit-client throws at the next
 * piece of it.
 *
 * @param recorder undefined: nothing is recorded.
 */
export async function endEarlySound(recorder: EventTarget | undefined, track: Track): Promise<void> {
  if (!recorder) return;
  const ended = new Promise<void>((resolve) => {
    recorder.addEventListener('stop', () => resolve(), { once: true });
    setTimeout(resolve, PATIENCE_MS);
  });
  track.stopPreConnectBuffer();
  await ended;
}

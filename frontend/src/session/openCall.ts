/** Opens one call: joins the room, publishes what was chosen, and collects the conversation from the first moment. */
import { DisconnectReason, Room, RoomEvent, VideoPresets } from 'livekit-client';
import { type Conversation, openConversation } from '../conversation/openConversation';
import type { Choices } from './choices';
import { connectProblem, deviceProblem, endProblem, INSECURE_PAGE, type Problem } from './problems';
import type { Grant } from './token';

export interface Call {
  readonly room: Room;
  readonly conversation: Conversation;
  /** On the clock of `performance.now()`. */
  readonly startedMs: number;
}

export interface CallEvents {
  report(problem: Problem): void;
  /** The room is gone, for whatever reason. */
  ended(): void;
}

/** Returns null, after reporting it, when the room cannot be joined. Aborting `signal` leaves the room. */
export async function openCall(
  grant: Grant,
  choices: Choices,
  events: CallEvents,
  signal: AbortSignal,
): Promise<Call | null> {
  const room = new Room({
    audioCaptureDefaults: {
      echoCancellation: true,
      noiseSuppression: true,
      autoGainControl: true,
      ...(choices.microphoneId && { deviceId: choices.microphoneId }),
    },
    videoCaptureDefaults: {
      resolution: VideoPresets.h720.resolution,
      ...(choices.cameraId ? { deviceId: choices.cameraId } : { facingMode: 'user' }),
    },
    // The agent is the only viewer: one layer spares a phone the encoding of three.
    // The buffer keeps what is said before the agent has joined.
    publishDefaults: { simulcast: false, preConnectBuffer: true },
  });
  const conversation = openConversation(room);
  signal.addEventListener('abort', () => void room.disconnect(), { once: true });
  try {
    publish(room, choices, events);
    await room.connect(grant.serverUrl, grant.participantToken);
  } catch (error) {
    conversation.close();
    void room.disconnect();
    if (!signal.aborted) events.report(connectProblem(error));
    return null;
  }
  room.once(RoomEvent.Disconnected, (reason = DisconnectReason.UNKNOWN_REASON) => {
    conversation.close();
    const problem = endProblem(reason);
    if (problem) events.report(problem);
    events.ended();
  });
  return { room, conversation, startedMs: performance.now() };
}

/** Starts the devices while the room connects. A device that fails is reported and does not end the call. */
function publish(room: Room, choices: Choices, events: CallEvents): void {
  if (!navigator.mediaDevices) {
    events.report(INSECURE_PAGE);
    return;
  }
  const { localParticipant } = room;
  if (choices.microphone) {
    localParticipant.setMicrophoneEnabled(true).catch((error) => events.report(deviceProblem('microphone', error)));
  }
  if (choices.camera) {
    localParticipant.setCameraEnabled(true).catch((error) => events.report(deviceProblem('camera', error)));
  }
}

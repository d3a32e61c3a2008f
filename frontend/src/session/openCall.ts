/** Opens one call: joins the room, publishes what was chosen, and collects the conversation from the first moment. */
import { DisconnectReason, type Participant, Room, RoomEvent, VideoPresets } from 'livekit-client';
import { hasLostPipeline } from '../agent/attributes';
import { type Conversation, openConversation } from '../conversation/openConversation';
import { bringDevices } from './bringDevices';
import type { Choices } from './choices';
import { connectProblem, endProblem, type Problem } from './problems';
import type { Grant } from './token';

export interface Call {
  readonly room: Room;
  readonly conversation: Conversation;
  /** On the clock of `performance.now()`. */
  readonly startedMs: number;
}

export interface CallEvents {
  /** A device failed; the call goes on without it. */
  report(problem: Problem): void;
  /** The room is gone; null: the person has left it. */
  ended(problem: Problem | null): void;
}

/** Returns a problem when the room cannot be joined. Aborting `signal` leaves the room. */
export async function openCall(
  grant: Grant,
  choices: Choices,
  events: CallEvents,
  signal: AbortSignal,
): Promise<Call | Problem> {
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
    publishDefaults: { simulcast: false },
  });
  const conversation = openConversation(room);
  let pipelineGone = false;
  room.on(RoomEvent.ParticipantAttributesChanged, (_, { isAgent, attributes }: Participant) => {
    if (isAgent) pipelineGone = hasLostPipeline(attributes);
  });
  signal.addEventListener('abort', () => void room.disconnect(), { once: true });
  try {
    const joined = room.connect(grant.serverUrl, grant.participantToken);
    bringDevices(room, choices, joined, events.report);
    await joined;
  } catch (error) {
    conversation.close();
    void room.disconnect();
    return connectProblem(error);
  }
  room.once(RoomEvent.Disconnected, (reason = DisconnectReason.UNKNOWN_REASON) => {
    conversation.close();
    events.ended(endProblem(reason, pipelineGone));
  });
  return { room, conversation, startedMs: performance.now() };
}

/** Opens one call: joins the room, publishes what was chosen, and collects the conversation from the first moment. */
import {
  ConnectionState,
  DisconnectReason,
  LocalAudioTrack,
  type Participant,
  Room,
  RoomEvent,
  Track,
  VideoPresets,
} from 'livekit-client';
import { END_CALL, hasLostPipeline } from '../agent/attributes';
import { type Conversation, openConversation } from '../conversation/openConversation';
import { canChooseLoudspeaker } from '../devices/tone';
import { endEarlySound } from '../sound/earlySound';
import { askFirst } from './askFirst';
import { type Brought, bringDevices } from './bringDevices';
import { connectProblem, endProblem } from './callProblems';
import type { Choices, FirstQuestion } from './choices';
import { connectOptions } from './connectOptions';
import { patience } from './patience';
import type { Problem } from './problems';
import type { Grant } from './token';
import { videoForAgent } from './videoForAgent';

export interface Call {
  readonly room: Room;
  readonly conversation: Conversation;
  /** With which it was joined; it says afterwards whose call it was. */
  readonly token: string;
  /** On the clock of `performance.now()`. */
  readonly startedMs: number;
  readonly brought: Brought;
  /** Asks the agent as soon as it can answer. */
  ask(question: FirstQuestion): void;
  /** A question waits for the agent, or has been asked so. */
  isAsking(): boolean;
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
      noiseSuppression: choices.noiseSuppression,
      autoGainControl: true,
      ...(choices.microphoneId && { deviceId: choices.microphoneId }),
    },
    videoCaptureDefaults: {
      resolution: VideoPresets.h720.resolution,
      ...(choices.cameraId ? { deviceId: choices.cameraId } : { facingMode: 'user' }),
    },
    ...(choices.loudspeakerId && canChooseLoudspeaker() && { audioOutput: { deviceId: choices.loudspeakerId } }),
    publishDefaults: videoForAgent,
  });
  const conversation = openConversation(room);
  let pipelineGone = false;
  let brought: Brought;
  room.on(RoomEvent.ParticipantAttributesChanged, (_, { isAgent, attributes }: Participant) => {
    if (isAgent) pipelineGone = hasLostPipeline(attributes);
  });
  signal.addEventListener('abort', () => void leave(room), { once: true });
  try {
    const joined = room.connect(grant.serverUrl, grant.participantToken, connectOptions(grant.serverUrl));
    brought = bringDevices(room, choices, joined, events.report);
    await joined;
  } catch (error) {
    conversation.close();
    void room.disconnect();
    return connectProblem(error);
  }
  let gaveUp = false;
  const connection = patience(() => {
    gaveUp = true;
    void room.disconnect();
  });
  room.on(RoomEvent.ConnectionStateChanged, (state) => connection.changed(state === ConnectionState.Connected));
  let asking = false;
  let stopAsking = () => {};
  room.once(RoomEvent.Disconnected, (reason = DisconnectReason.UNKNOWN_REASON) => {
    connection.close();
    stopAsking();
    const goodbye = conversation.current().tools.some(({ name, state }) => name === END_CALL && state === 'running');
    conversation.close();
    events.ended(endProblem(gaveUp ? DisconnectReason.UNKNOWN_REASON : reason, pipelineGone, goodbye));
  });
  const ask = (question: FirstQuestion) => {
    stopAsking();
    asking = true;
    const greeted = () => conversation.current().lines.some(({ side }) => side === 'agent');
    stopAsking = askFirst(room, question, greeted, conversation.type);
  };
  return {
    room,
    conversation,
    brought,
    token: grant.participantToken,
    startedMs: performance.now(),
    ask,
    isAsking: () => asking,
  };
}

async function leave(room: Room): Promise<void> {
  const track = room.localParticipant.getTrackPublication(Track.Source.Microphone)?.track;
  // biome-ignore lint/complexity/useLiteralKeys: the library keeps its recorder to itself, and trips over it
  if (track instanceof LocalAudioTrack) await endEarlySound(track['localTrackRecorder'], track);
  await room.disconnect();
}

/** Turns the agent's changing attributes into conversation events: each decision and each answer's figures. */
import { type Participant, type Room, RoomEvent } from 'livekit-client';
import { readDecision, readTimings } from '../agent/attributes';
import type { ConversationEvent } from './conversation';

export function listenToAgent(room: Room, dispatch: (event: ConversationEvent) => void): () => void {
  const report = (participant: Participant): void => {
    if (!participant.isAgent) return;
    const nowMs = performance.now();
    const timings = readTimings(participant.attributes);
    if (timings) dispatch({ type: 'timed', timings, nowMs });
    const decision = readDecision(participant.attributes);
    if (decision) dispatch({ type: 'decided', decision, nowMs });
  };
  const changed = (_: Record<string, string>, participant: Participant): void => report(participant);
  room.on(RoomEvent.ParticipantConnected, report).on(RoomEvent.ParticipantAttributesChanged, changed);
  return () => {
    room.off(RoomEvent.ParticipantConnected, report).off(RoomEvent.ParticipantAttributesChanged, changed);
  };
}

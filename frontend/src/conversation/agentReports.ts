/** Turns changes of the agent's attributes into conversation events: decisions, answers' figures, calls of tools. */
import { type Participant, type Room, RoomEvent } from 'livekit-client';
import { type Attributes, readDecision, readTimings, readTool } from '../agent/attributes';
import type { ConversationEvent } from './conversation';

/** What an agent has said before it was met is about an earlier conversation: only changes are told. */
export function listenToAgent(room: Room, dispatch: (event: ConversationEvent) => void): () => void {
  const report = (changed: Attributes, participant: Participant): void => {
    if (!participant.isAgent) return;
    const nowMs = performance.now();
    const timings = readTimings(changed);
    if (timings) dispatch({ type: 'timed', timings, nowMs });
    const decision = readDecision(changed);
    if (decision) dispatch({ type: 'decided', decision, nowMs });
    const tool = readTool(changed);
    if (tool) dispatch({ type: 'tool', tool, nowMs });
  };
  const left = ({ isAgent }: Participant): void => {
    if (isAgent) dispatch({ type: 'left', nowMs: performance.now() });
  };
  room.on(RoomEvent.ParticipantAttributesChanged, report);
  room.on(RoomEvent.ParticipantDisconnected, left);
  return () => {
    room.off(RoomEvent.ParticipantDisconnected, left);
    room.off(RoomEvent.ParticipantAttributesChanged, report);
  };
}

/** The agent of the room, found by its participant kind, with its state and its current complaint. */
import { useParticipantAttributes, useRemoteParticipants } from '@livekit/components-react';
import type { RemoteParticipant } from 'livekit-client';
import { type AgentState, readState } from './attributes';

export interface AgentView {
  readonly participant: RemoteParticipant | undefined;
  readonly state: AgentState;
  /** A sentence for the person, or empty. */
  readonly error: string;
}

export function useAgent(): AgentView {
  const participant = useRemoteParticipants().find((remote) => remote.isAgent);
  const { attributes } = useParticipantAttributes(participant ? { participant } : {});
  const known = participant ? (attributes ?? participant.attributes) : {};
  return {
    participant,
    state: participant ? readState(known) : 'absent',
    error: known['aura.error'] ?? '',
  };
}

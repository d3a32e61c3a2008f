/** The agent of the room, found by its participant kind, with its state and its current complaint. */
import { useParticipantAttributes, useRemoteParticipants } from '@livekit/components-react';
import type { RemoteParticipant } from 'livekit-client';
import { useEffect, useState } from 'react';
import { callAgent } from '../words/words';
import { type AgentState, readLine, readRecorded, readSees, readShown, readState, type Shown } from './attributes';
import { readPersona } from './persona';

export interface AgentView {
  /** It was in the room before, whether or not it is now. */
  readonly seen: boolean;
  readonly participant: RemoteParticipant | undefined;
  readonly state: AgentState;
  /** It reaches the pipeline. */
  readonly line: boolean;
  /** It looks at pictures; null: not known. */
  readonly sees: boolean | null;
  /** The picture that it is shown now. */
  readonly shown: Shown | null;
  /** It records the call. */
  readonly recorded: boolean;
  /** A sentence for the person, or empty. */
  readonly error: string;
}

export function useAgent(): AgentView {
  const participant = useRemoteParticipants().find((remote) => remote.isAgent);
  useParticipantAttributes(participant ? { participant } : {}); // draws again at every change
  const [seen, setSeen] = useState(false);
  if (participant && !seen) setSeen(true);
  const known = participant?.attributes ?? {};
  const name = readPersona(known)?.name;
  useEffect(() => {
    if (name) callAgent(name);
  }, [name]);
  return {
    seen,
    participant,
    state: participant ? readState(known) : 'absent',
    line: readLine(known),
    sees: readSees(known),
    shown: readShown(known),
    recorded: readRecorded(known),
    error: known['aura.error'] ?? '',
  };
}

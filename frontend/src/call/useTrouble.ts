/** Watches the room for what can go wrong in it. */
import { useConnectionState, useRoomContext, useStartAudio } from '@livekit/components-react';
import { ConnectionState } from 'livekit-client';
import type { AgentView } from '../agent/useAgent';
import { useHeldFor } from '../ui/useHeldFor';
import { type Trouble, troubleOf } from './trouble';

/** A broken connection is back within a few seconds, or something is down. */
const GONE_AFTER_MS = 8_000;
/** An agent is in the room half a second after the person; ten seconds mean that none comes by itself. */
const MISSING_AFTER_MS = 10_000;

const NOTHING = {};

export function useTrouble(agent: AgentView): Trouble | null {
  const connected = useConnectionState() === ConnectionState.Connected;
  const { canPlayAudio } = useStartAudio({ room: useRoomContext(), props: NOTHING });
  const present = agent.participant !== undefined;
  return troubleOf({
    connected,
    connectionGone: useHeldFor(!connected, GONE_AFTER_MS),
    agent: present ? 'here' : agent.seen ? 'lost' : 'expected',
    agentMissing: useHeldFor(connected && !present, MISSING_AFTER_MS),
    line: agent.line,
    complaint: agent.error,
    soundBlocked: !canPlayAudio,
  });
}

/** Standing notices about the call itself: reconnecting, sound blocked, agent missing. */
import { useConnectionState, useRoomContext, useStartAudio } from '@livekit/components-react';
import { ConnectionState } from 'livekit-client';
import type { AgentView } from '../agent/useAgent';
import { Icon } from '../ui/Icon';
import { useHeldFor } from '../ui/useHeldFor';

/** An agent is in the room half a second after the person; ten seconds mean that none comes by itself. */
const MISSING_AFTER_MS = 10_000;
/** An agent that left may be back at once, as after a restart. */
const LEFT_AFTER_MS = 3_000;

const NOTHING = {};

export function Notices({ agent }: { agent: AgentView }) {
  const room = useRoomContext();
  const connection = useConnectionState();
  const { canPlayAudio } = useStartAudio({ room, props: NOTHING });
  const connected = connection === ConnectionState.Connected;
  const missing = useHeldFor(!agent.participant && connected, agent.seen ? LEFT_AFTER_MS : MISSING_AFTER_MS);
  return (
    <div className="notices" role="status">
      {!connected && (
        <p className="notice" data-testid="reconnecting">
          Connection lost. Reconnecting… Nothing that you say now is heard.
        </p>
      )}
      {connected && missing && (
        <p className="notice" data-testid="agent-missing">
          {agent.seen
            ? 'AURA has left the call. It may come back by itself; if not, leave and start a new call.'
            : 'AURA has not joined yet. It may still be starting: wait a little, or leave and start again. If you run it yourself, see that the agent is up.'}
        </p>
      )}
      {!canPlayAudio && (
        <button
          type="button"
          className="notice unlock"
          data-testid="unlock-audio"
          onClick={() => void room.startAudio()}
        >
          <Icon name="volume" />
          The browser holds the sound back. Press here to hear AURA.
        </button>
      )}
    </div>
  );
}

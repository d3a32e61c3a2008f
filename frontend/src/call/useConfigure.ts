/** Asks the agent to be somebody else; a refusal is told in the agent's own words. */
import { useRoomContext } from '@livekit/components-react';
import { useCallback, useState } from 'react';
import { personaProblem } from '../session/problems';
import { useReporter } from '../toasts/reporter';

export const METHOD = 'aura.configure';

export interface Configure {
  configure(changes: Readonly<Record<string, string | boolean | number>>): void;
  /** A change is under way. */
  readonly pending: boolean;
}

export function useConfigure(agent: string | undefined): Configure {
  const room = useRoomContext();
  const { report, withdraw } = useReporter();
  const [pending, setPending] = useState(false);
  const configure = useCallback<Configure['configure']>(
    (changes) => {
      if (!agent) return;
      setPending(true);
      withdraw(personaProblem(null).code);
      room.localParticipant
        .performRpc({ destinationIdentity: agent, method: METHOD, payload: JSON.stringify(changes) })
        .catch((error: unknown) => report(personaProblem(error)))
        .finally(() => setPending(false));
    },
    [room, agent, report, withdraw],
  );
  return { configure, pending };
}

/** Asks the agent to be somebody else, and keeps what it agrees to; a refusal is told in the agent's own words. */
import { useRoomContext } from '@livekit/components-react';
import { useCallback, useState } from 'react';
import { notHeard, notSet, SETTING } from '../agent/rpcProblems';
import { isOver } from '../session/isOver';
import type { Problem } from '../session/problems';
import type { PersonaChange } from '../settings/controls';
import { keptOf } from '../settings/keptChange';
import { settingsStore } from '../settings/store';
import { useReporter } from '../toasts/reporter';

const METHOD = 'aura.configure';
/** Has the agent say something in its voice. */
const SAMPLE = 'aura.sample';

export interface Configure {
  configure(change: PersonaChange): void;
  sample(): void;
  /** A change is under way. */
  readonly pending: boolean;
}

export function useConfigure(agent: string | undefined): Configure {
  const room = useRoomContext();
  const { report, withdraw } = useReporter();
  const [pending, setPending] = useState(false);
  const ask = useCallback(
    (method: string, payload: string, agreed: () => void, refused: (error: unknown) => Problem) => {
      if (!agent) return;
      setPending(true);
      withdraw(SETTING);
      room.localParticipant
        .performRpc({ destinationIdentity: agent, method, payload })
        .then(agreed)
        .catch((error: unknown) => {
          if (!isOver(room)) report(refused(error));
        })
        .finally(() => setPending(false));
    },
    [room, agent, report, withdraw],
  );
  const configure = useCallback<Configure['configure']>(
    (change) => ask(METHOD, JSON.stringify(change), () => settingsStore.set(keptOf(change)), notSet),
    [ask],
  );
  const sample = useCallback(() => ask(SAMPLE, '', () => {}, notHeard), [ask]);
  return { configure, sample, pending };
}

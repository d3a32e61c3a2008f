/** What went on behind the words: the wait for each answer, and the agent's decisions. */
import { useRoomContext } from '@livekit/components-react';
import type { AgentView } from '../agent/useAgent';
import type { ConversationState } from '../conversation/conversation';
import { Icon } from '../ui/Icon';
import { DecisionLog } from './DecisionLog';
import { DownloadButton } from './DownloadButton';
import { PersonaCard } from './PersonaCard';
import { SpeaksUpSwitch } from './SpeaksUpSwitch';
import { WaitChart } from './WaitChart';

interface Props {
  readonly agent: AgentView;
  readonly conversation: ConversationState;
  readonly startedMs: number;
  readonly close: () => void;
}

export function DetailsPanel({ agent, conversation, startedMs, close }: Props) {
  const room = useRoomContext();
  return (
    <aside className="details" id="details" aria-label="Details of this call">
      <header>
        <h2>This call</h2>
        <button type="button" className="quiet" onClick={close} aria-label="Close the details">
          <Icon name="close" />
        </button>
      </header>
      <PersonaCard agent={agent} />
      <SpeaksUpSwitch agent={agent} />
      <WaitChart waits={conversation.waits} />
      <DecisionLog decisions={conversation.decisions} startedMs={startedMs} />
      <DownloadButton conversation={conversation} />
      <dl className="keys">
        <dt>M</dt>
        <dd>microphone</dd>
        <dt>V</dt>
        <dd>camera</dd>
        <dt>/</dt>
        <dd>type</dd>
        <dt>Esc</dt>
        <dd>leave</dd>
      </dl>
      <p className="fine">Room {room.name}</p>
    </aside>
  );
}

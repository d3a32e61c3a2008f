/** What went on behind the words: what became of each turn. */
import { useRoomContext } from '@livekit/components-react';
import type { ConversationState } from '../conversation/conversation';
import { RecordButton } from '../records/RecordButton';
import { useSettings } from '../settings/store';
import { Timeline } from '../timeline/Timeline';
import { ToolCalls } from '../tools/ToolCalls';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { DownloadButton } from './DownloadButton';

interface Props {
  readonly conversation: ConversationState;
  /** Of a call that is recorded; null: it is not. */
  readonly recordToken: string | null;
  readonly close: () => void;
}

export function DetailsPanel({ conversation, recordToken, close }: Props) {
  const room = useRoomContext();
  const { letterKeys } = useSettings();
  return (
    <aside className="details" id="details" aria-label={words.details.label}>
      <header>
        <h2>{words.details.title}</h2>
        <button type="button" className="quiet" onClick={close} aria-label={words.details.close}>
          <Icon name="close" />
        </button>
      </header>
      <Timeline decisions={conversation.decisions} waits={conversation.waits} />
      <ToolCalls tools={conversation.tools} />
      <DownloadButton conversation={conversation} />
      {recordToken !== null && <RecordButton token={recordToken} />}
      <dl className="keys">
        {letterKeys && <LetterKeys />}
        <dt>Esc</dt>
        <dd>{words.details.keys.leave}</dd>
      </dl>
      <p className="fine">{words.details.room(room.name)}</p>
    </aside>
  );
}

function LetterKeys() {
  return (
    <>
      <dt>M</dt>
      <dd>{words.details.keys.microphone}</dd>
      <dt>V</dt>
      <dd>{words.details.keys.camera}</dd>
      <dt>/</dt>
      <dd>{words.details.keys.type}</dd>
    </>
  );
}

/** Saves the call's decisions, timings and transcript as a file of the person's own. */
import { useRoomContext } from '@livekit/components-react';
import type { ConversationState } from '../conversation/conversation';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { callExport, exportName } from './callExport';
import { saveFile } from './saveFile';

export function DownloadButton({ conversation }: { conversation: ConversationState }) {
  const { name } = useRoomContext();
  return (
    <button
      type="button"
      className="download"
      data-testid="download"
      title={words.details.downloadTip}
      onClick={() => save(conversation, name)}
    >
      <Icon name="down" />
      {words.details.download}
    </button>
  );
}

function save(conversation: ConversationState, room: string): void {
  const savedAt = new Date().toISOString();
  const text = JSON.stringify(callExport(conversation, room, savedAt), null, 2);
  saveFile(exportName(room, savedAt), text, 'application/json');
}

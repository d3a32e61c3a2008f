/** Saves the call's decisions, timings and transcript as a file of the person's own. */
import { useRoomContext } from '@livekit/components-react';
import type { ConversationState } from '../conversation/conversation';
import { Icon } from '../ui/Icon';
import { callExport, exportName } from './callExport';

export function DownloadButton({ conversation }: { conversation: ConversationState }) {
  const { name } = useRoomContext();
  return (
    <button
      type="button"
      className="download"
      data-testid="download"
      title="Decisions, timings and what was said, as JSON"
      onClick={() => save(conversation, name)}
    >
      <Icon name="down" />
      Download
    </button>
  );
}

function save(conversation: ConversationState, room: string): void {
  const savedAt = new Date().toISOString();
  const text = JSON.stringify(callExport(conversation, room, savedAt), null, 2);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = exportName(room, savedAt);
  link.click();
  URL.revokeObjectURL(link.href);
}

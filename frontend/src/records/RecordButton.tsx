/** Gives the person the sound of a call that is recorded, as far as it is written. */
import { useRoomContext } from '@livekit/components-react';
import { useState } from 'react';
import { exportName } from '../call/callExport';
import { saveBlob } from '../call/saveFile';
import { useReporter } from '../toasts/reporter';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { fetchSound } from './record';

export function RecordButton({ token }: { token: string }) {
  const { name } = useRoomContext();
  const { report } = useReporter();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    const sound = await fetchSound(token);
    setBusy(false);
    if (sound) saveBlob(exportName(name, new Date().toISOString(), 'ogg'), sound);
    else report({ code: 'no-record', ...words.records.notFetched });
  };
  return (
    <button
      type="button"
      className="download"
      data-testid="download-sound"
      title={words.records.soundTip}
      aria-disabled={busy}
      onClick={() => !busy && void save()}
    >
      <Icon name="down" />
      {words.records.sound}
    </button>
  );
}

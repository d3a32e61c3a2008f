/** How loud the microphone is: in a call what is heard of it, before one as soon as the person wants to try it. */
import { useCallback, useState } from 'react';
import type { DeviceControl } from '../settings/controls';
import { useCapture } from '../start/useCapture';
import { words } from '../words/words';
import { LevelMeter } from './LevelMeter';

export function MicrophoneLevel({ control }: { readonly control: DeviceControl }) {
  if (control.microphone === undefined) return <Tried deviceId={control.active('audioinput') || null} />;
  if (control.microphone === null) return <p className="fine">{words.sheet.levelOff}</p>;
  return <LevelMeter track={control.microphone} label={words.sheet.level} />;
}

function Tried({ deviceId }: { readonly deviceId: string | null }) {
  const [trying, setTrying] = useState(false);
  return (
    <div className="setting-try">
      <button type="button" className="small" data-testid="try-microphone" onClick={() => setTrying(!trying)}>
        {trying ? words.sheet.stopTest : words.sheet.test}
      </button>
      {trying && <Meter deviceId={deviceId} ended={() => setTrying(false)} />}
    </div>
  );
}

function Meter({ deviceId, ended }: { readonly deviceId: string | null; readonly ended: () => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a device that is refused once is not asked again
  const failed = useCallback(() => ended(), []);
  const track = useCapture('audio', deviceId, failed)?.getAudioTracks()[0];
  return track ? <LevelMeter track={track} label={words.sheet.level} /> : null;
}

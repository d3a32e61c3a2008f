/** Lets the person see that they are heard, before the call; the microphone is opened for nothing else. */
import { useCallback, useState } from 'react';
import { Horizon } from '../horizon/Horizon';
import { deviceProblem } from '../session/problems';
import { useReporter } from '../toasts/reporter';
import { useCapture } from './useCapture';

export function MicrophoneTest({ deviceId, disabled }: { deviceId: string | null; disabled: boolean }) {
  const [testing, setTesting] = useState(false);
  const { report } = useReporter();
  const failed = useCallback(
    (error: unknown) => {
      setTesting(false);
      report(deviceProblem('microphone', error));
    },
    [report],
  );
  if (!testing || disabled) {
    return (
      <button type="button" className="link" disabled={disabled} onClick={() => setTesting(true)}>
        Test the microphone first
      </button>
    );
  }
  return (
    <div className="mic-test">
      <Meter deviceId={deviceId} failed={failed} />
      <p>
        Say something: the bars follow your voice.{' '}
        <button type="button" className="link" onClick={() => setTesting(false)}>
          Stop
        </button>
      </p>
    </div>
  );
}

function Meter({ deviceId, failed }: { deviceId: string | null; failed: (error: unknown) => void }) {
  const stream = useCapture('audio', deviceId, failed);
  return <Horizon state="silent" personTrack={stream?.getAudioTracks()[0]} />;
}

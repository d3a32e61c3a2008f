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
  return (
    <div className="mic-test">
      {testing && !disabled ? <Meter deviceId={deviceId} failed={failed} /> : null}
      <button
        type="button"
        className="link"
        disabled={disabled}
        aria-pressed={testing}
        onClick={() => setTesting(!testing)}
      >
        {testing && !disabled ? 'Say something: the bars follow you. Stop the test' : 'Test the microphone first'}
      </button>
    </div>
  );
}

function Meter({ deviceId, failed }: { deviceId: string | null; failed: (error: unknown) => void }) {
  const stream = useCapture('audio', deviceId, failed);
  return <Horizon state="silent" personTrack={stream?.getAudioTracks()[0]} />;
}

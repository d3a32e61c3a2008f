/** What to bring into the call, and the button that begins it. */
import { useCallback } from 'react';
import type { Choices, Place } from '../session/choices';
import type { Farewell } from '../session/phase';
import { deviceProblem } from '../session/problems';
import { useReporter } from '../toasts/reporter';
import { duration } from '../ui/format';
import { useSecondsUntil } from '../ui/useSecondsUntil';
import { CameraPreview } from './CameraPreview';
import { DeviceChoice } from './DeviceChoice';
import { MicrophoneTest } from './MicrophoneTest';

interface Props {
  readonly choices: Choices;
  readonly choose: (change: Partial<Choices>) => void;
  readonly farewell: Farewell | null;
  /** Where the link leads; a call that can be continued may be elsewhere. */
  readonly here: Place;
  readonly start: (place: Place) => void;
}

export function StartCard({ choices, choose, farewell, here, start }: Props) {
  const { report } = useReporter();
  const left = useSecondsUntil(farewell?.untilMs ?? 0);
  const cameraFailed = useCallback(
    (error: unknown) => {
      report(deviceProblem('camera', error));
      choose({ camera: false });
    },
    [report, choose],
  );
  return (
    <>
      {choices.camera && <CameraPreview deviceId={choices.cameraId} failed={cameraFailed} />}
      <div className="choices">
        <DeviceChoice
          kind="audioinput"
          on={choices.microphone}
          deviceId={choices.microphoneId}
          turn={(microphone) => choose({ microphone })}
          pick={(microphoneId) => choose({ microphoneId })}
        />
        <DeviceChoice
          kind="videoinput"
          on={choices.camera}
          deviceId={choices.cameraId}
          turn={(camera) => choose({ camera })}
          pick={(cameraId) => choose({ cameraId })}
        />
      </div>
      <button type="button" className="primary" data-testid="start" onClick={() => start(here)}>
        Start talking
      </button>
      {farewell && left > 0 ? (
        <>
          <button type="button" className="secondary wide" data-testid="continue" onClick={() => start(farewell.place)}>
            Continue the last call
          </button>
          <p className="fine">
            {farewell.durationMs > 0 && `You talked for ${duration(farewell.durationMs)}. `}
            AURA remembers it for {left} s more.
          </p>
        </>
      ) : (
        <MicrophoneTest deviceId={choices.microphoneId} disabled={!choices.microphone} />
      )}
    </>
  );
}

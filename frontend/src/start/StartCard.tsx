/** What to bring into the call, and the button that begins it. */
import { useCallback } from 'react';
import type { Choices, Place } from '../session/choices';
import type { Farewell } from '../session/phase';
import { deviceProblem } from '../session/problems';
import { useReporter } from '../toasts/reporter';
import { duration } from '../ui/format';
import { CameraPreview } from './CameraPreview';
import { DeviceChoice } from './DeviceChoice';
import { MicrophoneTest } from './MicrophoneTest';

interface Props {
  readonly choices: Choices;
  readonly choose: (choices: Choices) => void;
  readonly farewell: Farewell | null;
  /** Where the link leads; a call that can be continued may be elsewhere. */
  readonly here: Place;
  readonly start: (place: Place) => void;
}

export function StartCard({ choices, choose, farewell, here, start }: Props) {
  const { report } = useReporter();
  const cameraFailed = useCallback(
    (error: unknown) => {
      report(deviceProblem('camera', error));
      choose({ ...choices, camera: false });
    },
    [report, choose, choices],
  );
  return (
    <>
      {choices.camera && <CameraPreview deviceId={choices.cameraId} failed={cameraFailed} />}
      <div className="choices">
        <DeviceChoice
          kind="audioinput"
          on={choices.microphone}
          deviceId={choices.microphoneId}
          turn={(microphone) => choose({ ...choices, microphone })}
          pick={(microphoneId) => choose({ ...choices, microphoneId })}
        />
        <DeviceChoice
          kind="videoinput"
          on={choices.camera}
          deviceId={choices.cameraId}
          turn={(camera) => choose({ ...choices, camera })}
          pick={(cameraId) => choose({ ...choices, cameraId })}
        />
      </div>
      <button type="button" className="primary" data-testid="start" onClick={() => start(here)}>
        Start talking
      </button>
      {farewell ? (
        <p className="aside-note">
          {farewell.durationMs > 0 && `You talked for ${duration(farewell.durationMs)}. `}
          <button type="button" className="link" onClick={() => start(farewell.place)}>
            Continue that call
          </button>
        </p>
      ) : (
        <MicrophoneTest deviceId={choices.microphoneId} disabled={!choices.microphone} />
      )}
    </>
  );
}

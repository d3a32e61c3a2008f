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
        <p className="aside-note">
          {farewell.durationMs > 0 && `You talked for ${duration(farewell.durationMs)}. `}
          <button type="button" className="link" onClick={() => start(farewell.place)}>
            Continue that call
          </button>
          <span className="fine"> for {left} s more</span>
        </p>
      ) : (
        <MicrophoneTest deviceId={choices.microphoneId} disabled={!choices.microphone} />
      )}
    </>
  );
}

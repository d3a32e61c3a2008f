/** What to bring into the call, and the button that begins it. */
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { typingOnly } from '../devices/typingOnly';
import type { Choices, FirstQuestion, Place } from '../session/choices';
import type { Farewell } from '../session/phase';
import { useSecondsUntil } from '../ui/useSecondsUntil';
import { words } from '../words/words';
import { BlockedHelp } from './BlockedHelp';
import { blockedWords, isGone, type Refusal, refusalOf } from './blocked';
import { Chips } from './Chips';
import { DeviceChoice } from './DeviceChoice';
import { MicrophoneTest } from './MicrophoneTest';
import { TypingOnly } from './TypingOnly';
import { useDenied } from './usePermission';

const CameraPreview = lazy(() => import('./CameraPreview'));

interface Props {
  readonly choices: Choices;
  readonly choose: (change: Partial<Choices>) => void;
  readonly farewell: Farewell | null;
  /** Where the link leads; a call that can be continued may be elsewhere. */
  readonly here: Place;
  readonly start: (place: Place) => void;
  /** Begins a call with a question. */
  readonly ask: (question: FirstQuestion) => void;
}

export function StartCard({ choices, choose, farewell, here, start, ask }: Props) {
  const left = useSecondsUntil(farewell?.untilMs ?? 0);
  const types = typingOnly();
  const [microphone, microphoneFailed, tryMicrophone] = useRefusal('microphone', choices.microphoneId, () =>
    choose({ microphoneId: null }),
  );
  const [camera, cameraFailed, tryCamera] = useRefusal('camera', choices.cameraId, () => choose({ cameraId: null }));
  const wanted = [choices.microphone ? microphone : null, choices.camera ? camera : null];
  return (
    <>
      {choices.camera && camera === null && (
        <Suspense fallback={<div className="preview" />}>
          <CameraPreview deviceId={choices.cameraId} failed={cameraFailed} />
        </Suspense>
      )}
      {types ? (
        <TypingOnly />
      ) : (
        <>
          <div className="choices">
            <DeviceChoice
              kind="audioinput"
              on={choices.microphone}
              deviceId={choices.microphoneId}
              blocked={blockedWords(microphone, words)?.what ?? null}
              turn={(on) => {
                tryMicrophone();
                choose({ microphone: on });
              }}
              pick={(microphoneId) => {
                tryMicrophone();
                choose({ microphoneId: microphoneId || null });
              }}
            />
            <DeviceChoice
              kind="videoinput"
              on={choices.camera}
              deviceId={choices.cameraId}
              blocked={blockedWords(camera, words)?.what ?? null}
              turn={(on) => {
                tryCamera();
                choose({ camera: on });
              }}
              pick={(cameraId) => {
                tryCamera();
                choose({ cameraId: cameraId || null });
              }}
            />
          </div>
          <BlockedHelp refusal={wanted.find((refusal) => refusal !== null) ?? null} />
        </>
      )}
      <button type="button" className="primary" data-testid="start" onClick={() => start(here)}>
        {types ? words.door.startTyping : words.door.start}
      </button>
      <Chips ask={ask} />
      {farewell && left > 0 ? (
        <>
          <button type="button" className="secondary wide" data-testid="continue" onClick={() => start(farewell.place)}>
            {words.door.continueLast}
          </button>
          <p className="fine">{words.door.remembersFor(left)}</p>
        </>
      ) : (
        !types &&
        microphone === null && (
          <MicrophoneTest deviceId={choices.microphoneId} disabled={!choices.microphone} failed={microphoneFailed} />
        )
      )}
    </>
  );
}

/**
 * Why the browser does not give the device, what to call when it has not, and what to try again.
 *
 * @param chosen the device that was chosen; one that is not there any more is forgotten, and the system's own is used.
 */
function useRefusal(
  device: 'microphone' | 'camera',
  chosen: string | null,
  forget: () => void,
): [Refusal | null, (error: unknown) => void, () => void] {
  const denied = useDenied(device);
  const [met, setMet] = useState<Refusal | null>(null);
  const forgetNow = useRef(forget);
  useEffect(() => {
    forgetNow.current = forget;
  });
  const failed = useCallback(
    (error: unknown) => {
      if (chosen !== null && isGone(error)) forgetNow.current();
      else setMet(refusalOf(error));
    },
    [chosen],
  );
  const again = useCallback(() => setMet(null), []);
  useEffect(() => (denied ? again : undefined), [denied, again]); // what is allowed by now may be tried again
  return [denied ? 'denied' : met, failed, again];
}

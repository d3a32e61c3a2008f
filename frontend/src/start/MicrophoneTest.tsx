/** Lets the person see that they are heard, before the call; the microphone is opened for nothing else. */
import { lazy, Suspense, useCallback, useState } from 'react';
import { words } from '../words/words';

const MicrophoneLight = lazy(() => import('./MicrophoneLight'));

interface Props {
  readonly deviceId: string | null;
  readonly disabled: boolean;
  /** The browser does not give it. */
  readonly failed: (error: unknown) => void;
}

export function MicrophoneTest({ deviceId, disabled, failed }: Props) {
  const [testing, setTesting] = useState(false);
  const stopped = useCallback(
    (error: unknown) => {
      setTesting(false);
      failed(error);
    },
    [failed],
  );
  if (!testing || disabled) {
    return (
      <button type="button" className="link" disabled={disabled} onClick={() => setTesting(true)}>
        {words.door.testMicrophone}
      </button>
    );
  }
  return (
    <div className="mic-test">
      <Suspense>
        <MicrophoneLight deviceId={deviceId} failed={stopped} />
      </Suspense>
      <p>
        {words.door.testing}{' '}
        <button type="button" className="link" onClick={() => setTesting(false)}>
          {words.door.stopTest}
        </button>
      </p>
    </div>
  );
}

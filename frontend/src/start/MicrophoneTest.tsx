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
  const [wanted, setWanted] = useState(false);
  const testing = wanted && !disabled;
  const stopped = useCallback(
    (error: unknown) => {
      setWanted(false);
      failed(error);
    },
    [failed],
  );
  return (
    <div className={testing ? 'mic-test' : undefined}>
      {testing && (
        <Suspense>
          <MicrophoneLight deviceId={deviceId} failed={stopped} />
        </Suspense>
      )}
      <p>
        {testing && <>{words.door.testing} </>}
        {/* One button for both, which keeps the focus. */}
        <button type="button" className="link" disabled={disabled} onClick={() => setWanted(!testing)}>
          {testing ? words.door.stopTest : words.door.testMicrophone}
        </button>
      </p>
    </div>
  );
}

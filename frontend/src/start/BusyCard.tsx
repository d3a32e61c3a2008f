/** All lines are busy, or the server still starts: says so, counts down, and tries again by itself. */
import { useEffect } from 'react';
import type { Wait } from '../session/phase';
import { useSecondsUntil } from '../ui/useSecondsUntil';

interface Props {
  readonly wait: Wait;
  readonly retry: () => void;
  readonly cancel: () => void;
}

export function BusyCard({ wait, retry, cancel }: Props) {
  const left = useSecondsUntil(wait.retryAtMs);
  useEffect(() => {
    if (left === 0) retry();
  }, [left, retry]);
  return (
    <div className="card" data-testid="busy" data-full={wait.full}>
      <p className="countdown" aria-hidden="true">
        {left}
      </p>
      <div role="status">
        <p className="card-title">{wait.full ? 'All lines are busy' : 'AURA is not ready yet'}</p>
        <p>{wait.message}</p>
      </div>
      <p className="fine">Trying again in {left} s. Leave the page open and you will be put through.</p>
      <div className="row">
        <button type="button" className="primary" onClick={retry}>
          Try now
        </button>
        <button type="button" className="secondary" onClick={cancel}>
          Give up
        </button>
      </div>
    </div>
  );
}

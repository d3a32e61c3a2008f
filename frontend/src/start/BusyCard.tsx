/** All lines are busy, or the server still starts: says so, counts down, and tries again by itself. */
import { useEffect } from 'react';
import type { Place } from '../session/choices';
import type { Farewell, Wait } from '../session/phase';
import { useSecondsUntil } from '../ui/useSecondsUntil';
import { words } from '../words/words';

interface Props {
  readonly wait: Wait;
  /** A call that may still hold a line of its own. */
  readonly farewell: Farewell | null;
  /** Null: the place that was asked for. */
  readonly start: (place: Place | null) => void;
  readonly cancel: () => void;
}

export function BusyCard({ wait, farewell, start, cancel }: Props) {
  const left = useSecondsUntil(wait.retryAtMs);
  const returnLeft = useSecondsUntil(farewell?.untilMs ?? 0);
  useEffect(() => {
    if (left === 0) start(null);
  }, [left, start]);
  return (
    <div className="card" data-testid="busy" data-full={wait.full}>
      <p className="countdown" aria-hidden="true">
        {left}
      </p>
      <div role="status">
        <p className="card-title" data-arrival="">
          {wait.full ? words.door.full : words.door.notReady}
        </p>
        <p>{wait.message}</p>
      </div>
      <p className="fine">{words.door.tryingAgainIn(left)}</p>
      <div className="row">
        <button type="button" className="primary" onClick={() => start(null)}>
          {words.door.tryNow}
        </button>
        <button type="button" className="secondary" onClick={cancel}>
          {words.door.giveUp}
        </button>
      </div>
      {wait.full && farewell && returnLeft > 0 && (
        <button type="button" className="link" onClick={() => start(farewell.place)}>
          {words.door.continueYourLast}
        </button>
      )}
    </div>
  );
}

/** How long the person waited for each of the last answers, and for which stage of the turn. */
import { useState } from 'react';
import type { StageTime } from '../agent/attributes';
import { stageWords } from '../agent/words';
import type { ConversationState, Wait } from '../conversation/conversation';
import { seconds } from '../ui/format';

const SHOWN = 8;
/** The least that fills a bar: short waits all look short. Milliseconds. */
const LEAST_FULL_MS = 3_000;

export function WaitChart({ waits }: { waits: ConversationState['waits'] }) {
  const [looked, setLooked] = useState<string | null>(null);
  const shown = waits.slice(-SHOWN);
  const fullMs = Math.max(LEAST_FULL_MS, ...shown.map(({ ms }) => ms));
  const told = shown.find(({ responseId }) => responseId === looked) ?? shown.at(-1);
  return (
    <section className="waits">
      <h3>Wait for each answer</h3>
      {waits.length === 0 && <p className="fine">From the end of your words to the first sound. None yet.</p>}
      <ol>
        {shown.map((wait) => (
          <li key={wait.responseId} data-ms={Math.round(wait.ms)}>
            <button
              type="button"
              aria-label={inWords(wait)}
              aria-pressed={wait === told}
              onPointerEnter={() => setLooked(wait.responseId)}
              onFocus={() => setLooked(wait.responseId)}
              onClick={() => setLooked(wait.responseId)}
            >
              <Bar wait={wait} fullMs={fullMs} />
              {seconds(wait.ms)}
            </button>
          </li>
        ))}
      </ol>
      {told && told.timings.stages.length > 0 && <Stages stages={told.timings.stages} />}
    </section>
  );
}

/** The stages side by side, each as wide as it was long; a wait of which no stages are known is one piece. */
function Bar({ wait, fullMs }: { wait: Wait; fullMs: number }) {
  const { stages } = wait.timings;
  const pieces = stages.length > 0 ? stages : [{ stage: 'whole', waitedMs: wait.ms, tookMs: null }];
  let fromMs = 0;
  return (
    <svg viewBox={`0 0 ${fullMs} 1`} preserveAspectRatio="none" aria-hidden="true">
      {pieces.map(({ stage, waitedMs }) => {
        const x = fromMs;
        fromMs += waitedMs;
        return (
          <rect key={stage} data-stage={stage} x={x} width={waitedMs} height="1">
            {stage !== 'whole' && <title>{`${stageWords(stage)}: ${Math.round(waitedMs)} ms`}</title>}
          </rect>
        );
      })}
    </svg>
  );
}

/** What the bar that is looked at is made of. */
function Stages({ stages }: { stages: readonly StageTime[] }) {
  return (
    <dl className="stages" data-testid="stages">
      {stages.map(({ stage, waitedMs, tookMs }) => (
        <div key={stage} data-stage={stage} data-ms={Math.round(waitedMs)}>
          <dt>{stageWords(stage)}</dt>
          <dd>
            {isAhead(waitedMs, tookMs) && <small>{`${Math.round(tookMs ?? 0)} ms, ahead`}</small>}
            {`${Math.round(waitedMs)} ms`}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** It was done, all or part of it, before anybody waited. */
function isAhead(waitedMs: number, tookMs: number | null): boolean {
  return tookMs !== null && waitedMs === 0 && Math.round(tookMs) > 0;
}

function inWords({ ms, timings }: Wait): string {
  const parts = timings.stages.map(({ stage, waitedMs }) => `${stageWords(stage)} ${Math.round(waitedMs)} ms`);
  return [`Answered in ${seconds(ms)}`, ...parts].join('. ');
}

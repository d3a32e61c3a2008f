/** The exact figures of the turn that is looked at: its stages, and the numbers behind what was decided. */
import type { StageTime } from '../agent/attributes';
import { figureWords, momentWords, stageWords } from '../agent/words';
import { milliseconds } from '../ui/format';
import { words } from '../words/words';
import type { TurnRow } from './rows';

export function TurnFigures({ row }: { row: TurnRow }) {
  const { stages = [], moments = [] } = row.wait?.timings ?? {};
  const told = row.ticks.map(({ decision: { figures } }) => figureWords(figures).join(' · '));
  const lines = new Set(told.filter(Boolean)); // two decisions about one sound have the same numbers
  return (
    <div className="turn-figures">
      {stages.length > 0 && <Stages stages={stages} />}
      {moments.length > 0 && (
        <p data-testid="moments">
          {moments.map(({ name, atMs }) => momentWords(name, milliseconds(atMs))).join(' · ')}
        </p>
      )}
      {[...lines].map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

function Stages({ stages }: { stages: readonly StageTime[] }) {
  return (
    <dl className="stages" data-testid="stages">
      {stages.map(({ stage, waitedMs, tookMs }) => (
        <div key={stage} data-stage={stage} data-ms={Math.round(waitedMs)}>
          <dt>{stageWords(stage)}</dt>
          <dd>
            {isAhead(waitedMs, tookMs) && <small>{words.details.ahead(milliseconds(tookMs ?? 0))}</small>}
            {milliseconds(waitedMs)}
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

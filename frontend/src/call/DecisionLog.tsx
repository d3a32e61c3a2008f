/** What the agent decided and why, newest first; folded to its newest entry. */
import { decisionWords, figureWords } from '../agent/words';
import type { LoggedDecision } from '../conversation/conversation';
import { clock } from '../ui/format';

const SHOWN = 200;

export function DecisionLog({ decisions, startedMs }: { decisions: readonly LoggedDecision[]; startedMs: number }) {
  const newest = decisions.at(-1);
  return (
    <details
      className="decisions"
      data-testid="decision"
      data-what={newest?.what ?? ''}
      data-reason={newest?.reason ?? ''}
      open
    >
      <summary>
        <h3>Decisions</h3>
        <span>{newest ? decisionWords(newest.what) : 'none yet'}</span>
      </summary>
      <ol>
        {decisions
          .slice(-SHOWN)
          .toReversed()
          .map((decision) => (
            <li key={decision.id} data-what={decision.what} data-reason={decision.reason}>
              <time>{clock(decision.seenMs - startedMs)}</time>
              <strong>{decisionWords(decision.what)}</strong>
              {decision.text && <span>{decision.text}</span>}
              <Why decision={decision} />
            </li>
          ))}
      </ol>
    </details>
  );
}

/** Its code, and the numbers behind it. */
function Why({ decision: { reason, figures } }: { decision: LoggedDecision }) {
  const numbers = figureWords(figures);
  if (!reason && numbers.length === 0) return null;
  return (
    <span className="why">
      {reason && <code>{reason}</code>}
      {reason && numbers.length > 0 && ' · '}
      {numbers.join(' · ')}
    </span>
  );
}

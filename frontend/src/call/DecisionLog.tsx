/** What the agent decided and why, newest first; folded to its newest entry. */
import { decisionWords } from '../agent/words';
import type { LoggedDecision } from '../conversation/conversation';
import { clock } from '../ui/format';

export function DecisionLog({ decisions, startedMs }: { decisions: readonly LoggedDecision[]; startedMs: number }) {
  const newest = decisions.at(-1);
  return (
    <details className="decisions" data-testid="decision" data-what={newest?.what ?? ''} open>
      <summary>
        <h3>Decisions</h3>
        <span>{newest ? decisionWords(newest.what) : 'none yet'}</span>
      </summary>
      <ol>
        {decisions.toReversed().map(({ id, what, text, seenMs }) => (
          <li key={id} data-what={what}>
            <time>{clock(seenMs - startedMs)}</time>
            <strong>{decisionWords(what)}</strong>
            {text && <span>{text}</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The call could not begin, or broke off: says why, and offers to try again. */
import type { Problem } from '../session/problems';
import { ForOperator } from '../ui/ForOperator';
import { words } from '../words/words';

interface Props {
  readonly problem: Problem;
  readonly again: () => void;
  readonly back: () => void;
}

export function FailedCard({ problem, again, back }: Props) {
  return (
    <div className="card" data-testid="failed" data-code={problem.code}>
      <div role="alert">
        <p className="card-title" data-arrival="">
          {problem.title}
        </p>
        <p>{problem.advice}</p>
      </div>
      <div className="row">
        <button type="button" className="primary" data-testid="again" onClick={again}>
          {problem.again ?? words.door.tryAgain}
        </button>
        <button type="button" className="secondary" onClick={back}>
          {words.door.back}
        </button>
      </div>
      <ForOperator text={problem.technical} />
    </div>
  );
}

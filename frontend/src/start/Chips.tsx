/** Questions to begin with, each a press away. */
import { useAbout } from '../about/useAbout';
import { typingOnly } from '../devices/typingOnly';
import type { FirstQuestion } from '../session/choices';
import { words } from '../words/words';
import { firstQuestions } from './firstQuestions';

export function Chips({ ask }: { ask: (question: FirstQuestion) => void }) {
  return (
    <ul className="chips" aria-label={words.welcome.questions}>
      {firstQuestions(useAbout(), !typingOnly()).map((question) => (
        <li key={question.text}>
          <button type="button" className="chip" data-testid="chip" onClick={() => ask(question)}>
            {question.text}
          </button>
        </li>
      ))}
    </ul>
  );
}

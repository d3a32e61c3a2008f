/** Questions to begin with, each a press away; one that is shown stays what it is. */
import { useEffect, useState } from 'react';
import type { About } from '../about/about';
import { useAbout } from '../about/useAbout';
import { typingOnly } from '../devices/typingOnly';
import type { FirstQuestion } from '../session/choices';
import { words } from '../words/words';
import { firstQuestions } from './firstQuestions';

/** For which the place of the chips is kept until the server has said what can be asked here. */
const PATIENCE_MS = 1_500;

export function Chips({ ask }: { ask: (question: FirstQuestion) => void }) {
  const known = useSettledAbout();
  const questions = known === undefined ? [] : firstQuestions(known, !typingOnly());
  return (
    <ul className="chips" aria-label={words.welcome.questions}>
      {questions.map((question) => (
        <li key={question.text}>
          <button type="button" className="chip" data-testid="chip" onClick={() => ask(question)}>
            {question.text}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What was known first; null: the server has said nothing; undefined: it may say it at any moment. */
function useSettledAbout(): About | null | undefined {
  const about = useAbout();
  const [settled, setSettled] = useState<About | null | undefined>(about ?? undefined);
  if (settled === undefined && about) setSettled(about);
  useEffect(() => {
    if (settled !== undefined) return;
    const timer = setTimeout(() => setSettled(null), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [settled]);
  return settled;
}

/** What only helps whoever runs AURA: folded away. */
import { words } from '../words/words';

export function ForOperator({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <details className="for-operator">
      <summary>{words.problems.forOperator}</summary>
      <p>{text}</p>
    </details>
  );
}

/** What helps when the browser gives no microphone or camera: in place, and open only for who asks. */
import { words } from '../words/words';
import { blockedWords, type Refusal } from './blocked';

export function BlockedHelp({ refusal }: { readonly refusal: Refusal | null }) {
  const told = blockedWords(refusal, words);
  if (!told) return null;
  // Of an address that can never have a microphone it is said at once.
  return (
    <details className="blocked" data-testid="blocked" data-refusal={refusal} open={refusal === 'insecure'}>
      <summary>{refusal === 'insecure' ? words.problems.insecure : words.door.howToAllow}</summary>
      <p>{told.help}</p>
    </details>
  );
}

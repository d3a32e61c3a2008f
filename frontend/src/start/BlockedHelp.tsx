/** What helps when the browser gives no microphone or camera: in place, and open only for who asks. */
import { words } from '../words/words';
import { blockedWords, type Refusal } from './blocked';

export function BlockedHelp({ refusal }: { readonly refusal: Refusal | null }) {
  const told = blockedWords(refusal, words);
  if (!told) return null;
  return (
    <details className="blocked" data-testid="blocked" data-refusal={refusal}>
      <summary>{refusal === 'denied' ? words.door.howToAllow : words.door.whatHelps}</summary>
      <p>{told.help}</p>
    </details>
  );
}

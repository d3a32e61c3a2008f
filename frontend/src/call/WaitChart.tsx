/** How long the person waited for each of the last answers. */
import type { ConversationState } from '../conversation/conversation';
import { seconds } from '../ui/format';

const SHOWN = 8;
/** A full bar; longer waits fill it too. Milliseconds. */
const FULL_MS = 3_000;

export function WaitChart({ waits }: { waits: ConversationState['waits'] }) {
  return (
    <section className="waits">
      <h3>Wait for each answer</h3>
      {waits.length === 0 && <p className="fine">From the end of your words to the first sound. None yet.</p>}
      <ol>
        {waits.slice(-SHOWN).map(({ responseId, ms }) => (
          <li key={responseId} data-ms={Math.round(ms)}>
            <meter min={0} max={FULL_MS} value={Math.min(ms, FULL_MS)} aria-hidden="true" />
            {seconds(ms)}
          </li>
        ))}
      </ol>
    </section>
  );
}

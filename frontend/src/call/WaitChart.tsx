/** How long the person waited for each of the last answers. */
import type { ConversationState } from '../conversation/conversation';
import { seconds } from '../ui/format';

const SHOWN = 8;
/** The least that fills a bar: short waits all look short. Milliseconds. */
const LEAST_FULL_MS = 3_000;

export function WaitChart({ waits }: { waits: ConversationState['waits'] }) {
  const shown = waits.slice(-SHOWN);
  const fullMs = Math.max(LEAST_FULL_MS, ...shown.map(({ ms }) => ms));
  return (
    <section className="waits">
      <h3>Wait for each answer</h3>
      {waits.length === 0 && <p className="fine">From the end of your words to the first sound. None yet.</p>}
      <ol>
        {shown.map(({ responseId, ms }) => (
          <li key={responseId} data-ms={Math.round(ms)}>
            <meter min={0} max={fullMs} value={ms} aria-hidden="true" />
            {seconds(ms)}
          </li>
        ))}
      </ol>
    </section>
  );
}

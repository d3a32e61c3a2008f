/** Name, how fast the last answer came, how good the connection is, and the view's own switches. */
import type { ConversationState } from '../conversation/conversation';
import { ThemeToggle } from '../theme/ThemeToggle';
import { seconds } from '../ui/format';
import { Icon } from '../ui/Icon';
import { ConnectionQualityMark } from './ConnectionQualityMark';

interface Props {
  readonly waits: ConversationState['waits'];
  readonly details: boolean;
  readonly toggleDetails: () => void;
}

export function TopBar({ waits, details, toggleDetails }: Props) {
  const last = waits.at(-1);
  return (
    <header className="top">
      <h1>AURA</h1>
      <span className="spring" />
      <span className="wait" data-testid="latency" data-ms={last ? Math.round(last.ms) : ''}>
        {last ? `answered in ${seconds(last.ms)}` : ''}
      </span>
      <ConnectionQualityMark />
      <ThemeToggle />
      <button
        type="button"
        className="quiet"
        onClick={toggleDetails}
        aria-expanded={details}
        aria-controls="details"
        aria-label="Details of this call"
        title="Details of this call"
      >
        <Icon name="info" />
      </button>
    </header>
  );
}

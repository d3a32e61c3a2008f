/** Name, how good the connection is, and the view's own switches. */
import type { RefObject } from 'react';
import { Wordmark } from '../brand/Wordmark';
import type { DeviceControl, PersonaControl } from '../settings/controls';
import { SettingsButton } from '../settings/SettingsButton';
import { SettingsSheet } from '../settings/SettingsSheet';
import { ThemeToggle } from '../theme/ThemeToggle';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { ConnectionQualityMark } from './ConnectionQualityMark';

interface Props {
  /** The call is recorded. */
  readonly recorded: boolean;
  readonly persona: PersonaControl;
  readonly devices: DeviceControl;
  readonly details: boolean;
  readonly toggleDetails: () => void;
  readonly detailsButton: RefObject<HTMLButtonElement | null>;
}

export function TopBar({ recorded, persona, devices, details, toggleDetails, detailsButton }: Props) {
  return (
    <header className="top">
      <h1>
        <Wordmark />
      </h1>
      <span className="spring" />
      {recorded && (
        <span className="recorded" data-testid="recorded" role="status">
          {words.records.recorded}
        </span>
      )}
      <ConnectionQualityMark />
      <ThemeToggle />
      <SettingsButton sheet={(close) => <SettingsSheet persona={persona} devices={devices} close={close} />} />
      <button
        ref={detailsButton}
        type="button"
        className="quiet"
        data-testid="details"
        onClick={toggleDetails}
        aria-expanded={details}
        aria-controls="details"
        aria-label={words.details.label}
        title={words.details.label}
      >
        <Icon name="chart" />
      </button>
    </header>
  );
}

/** The devices of a call within a tap: a popover over the dock. */
import { type RefObject, useId, useState } from 'react';
import type { DeviceControl } from '../settings/controls';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { DeviceRows } from './DeviceRows';

interface Props {
  readonly control: DeviceControl;
  /** The popover itself, for whoever opens it by other means. */
  readonly popover: RefObject<HTMLDivElement | null>;
}

export function DevicePopover({ control, popover }: Props) {
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    <div className="device-place">
      <button
        type="button"
        data-testid="devices"
        popoverTarget={id}
        aria-expanded={open}
        aria-label={words.sheet.devicesOpen}
        title={words.sheet.devicesOpen}
      >
        <Icon name="sliders" />
      </button>
      <div
        id={id}
        ref={popover}
        className="device-popover"
        popover="auto"
        role="dialog"
        aria-label={words.sheet.devices}
        data-testid="device-popover"
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {open && <DeviceRows control={control} />}
      </div>
    </div>
  );
}

/** One device to bring or to leave out, and which one; or why the browser does not give it. */
import { useId } from 'react';
import { DevicePicker } from '../ui/DevicePicker';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';

interface Props {
  readonly kind: 'audioinput' | 'videoinput';
  readonly on: boolean;
  readonly deviceId: string | null;
  /** Why it cannot be used, in a few words; null: it can, as far as is known. */
  readonly blocked: string | null;
  readonly turn: (on: boolean) => void;
  readonly pick: (deviceId: string) => void;
}

export function DeviceChoice({ kind, on, deviceId, blocked, turn, pick }: Props) {
  const why = useId();
  const name = kind === 'audioinput' ? words.door.microphone : words.door.camera;
  const icon = kind === 'audioinput' ? 'mic' : 'camera';
  const used = on && blocked === null;
  return (
    <div className="choice" data-on={used} data-blocked={on && blocked !== null} data-testid={`choice-${kind}`}>
      <button
        type="button"
        role="switch"
        aria-checked={on}
        aria-label={name}
        aria-describedby={on && blocked ? why : undefined}
        onClick={() => turn(!on)}
      >
        <Icon name={used ? icon : `${icon}-off`} />
        <span>
          {name}
          <small id={why}>{on ? (blocked ?? words.door.on) : words.door.off}</small>
        </span>
      </button>
      <DevicePicker kind={kind} active={deviceId ?? ''} pick={pick} />
    </div>
  );
}

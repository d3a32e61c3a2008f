/** One device to bring or to leave out, and which one. */
import { DevicePicker } from '../ui/DevicePicker';
import { Icon } from '../ui/Icon';

interface Props {
  readonly kind: 'audioinput' | 'videoinput';
  readonly on: boolean;
  readonly deviceId: string | null;
  readonly turn: (on: boolean) => void;
  readonly pick: (deviceId: string) => void;
}

export function DeviceChoice({ kind, on, deviceId, turn, pick }: Props) {
  const name = kind === 'audioinput' ? 'Microphone' : 'Camera';
  const icon = kind === 'audioinput' ? 'mic' : 'camera';
  return (
    <div className="choice" data-on={on}>
      <button type="button" role="switch" aria-checked={on} aria-label={name} onClick={() => turn(!on)}>
        <Icon name={on ? icon : `${icon}-off`} />
        <span>
          {name}
          <small>{on ? 'on' : 'off'}</small>
        </span>
      </button>
      <DevicePicker kind={kind} active={deviceId ?? ''} pick={pick} />
    </div>
  );
}

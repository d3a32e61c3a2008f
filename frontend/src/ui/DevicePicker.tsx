/** Chooses among the devices of one kind: the system's own list behind a small arrow. Absent with nothing to choose. */

import { words } from '../words/words';
import { Icon } from './Icon';
import { useDevices } from './useDevices';

interface Props {
  readonly kind: 'audioinput' | 'videoinput';
  readonly active: string;
  readonly pick: (deviceId: string) => void;
}

export function DevicePicker({ kind, active, pick }: Props) {
  const devices = useDevices(kind);
  if (devices.length === 0) return null;
  const audio = kind === 'audioinput';
  const numbered = audio ? words.settings.microphoneNumber : words.settings.cameraNumber;
  return (
    <label className="picker">
      <Icon name="chevron" />
      <select
        aria-label={audio ? words.settings.chooseMicrophone : words.settings.chooseCamera}
        value={active}
        onChange={(event) => pick(event.target.value)}
      >
        {!devices.some((device) => device.deviceId === active) && (
          <option value={active}>{words.settings.systemDefault}</option>
        )}
        {devices.map((device, index) => (
          <option key={device.deviceId} value={device.deviceId}>
            {device.label || numbered(index + 1)}
          </option>
        ))}
      </select>
    </label>
  );
}

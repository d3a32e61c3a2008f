/** Chooses among the devices of one kind: the system's own list behind a small arrow. Absent with nothing to choose. */

import { words } from '../words/words';
import { chosenOption, deviceOptions } from './deviceOptions';
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
  const { systemDefault, microphoneNumber, cameraNumber, chooseMicrophone, chooseCamera } = words.settings;
  const options = deviceOptions(devices, systemDefault, audio ? microphoneNumber : cameraNumber);
  return (
    <label className="picker">
      <Icon name="chevron" />
      <select
        aria-label={audio ? chooseMicrophone : chooseCamera}
        value={chosenOption(active, options)}
        onChange={(event) => pick(event.target.value)}
      >
        {options.map(({ value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

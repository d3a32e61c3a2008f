/** Chooses among the devices of one kind: the system's own list behind a small arrow. Absent with nothing to choose. */
import { Icon } from './Icon';
import { useDevices } from './useDevices';

interface Props {
  readonly kind: 'audioinput' | 'videoinput';
  readonly active: string;
  readonly pick: (deviceId: string) => void;
}

const NAMES = { audioinput: 'Microphone', videoinput: 'Camera' } as const;

export function DevicePicker({ kind, active, pick }: Props) {
  const devices = useDevices(kind);
  if (devices.length === 0) return null;
  return (
    <label className="picker">
      <Icon name="chevron" />
      <select
        aria-label={`Choose the ${NAMES[kind].toLowerCase()}`}
        value={active}
        onChange={(event) => pick(event.target.value)}
      >
        {!devices.some((device) => device.deviceId === active) && <option value={active}>System default</option>}
        {devices.map((device, index) => (
          <option key={device.deviceId} value={device.deviceId}>
            {device.label || `${NAMES[kind]} ${index + 1}`}
          </option>
        ))}
      </select>
    </label>
  );
}

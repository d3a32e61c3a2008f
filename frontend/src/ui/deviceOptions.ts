/** How the devices of one kind are named, at the door as in a call: the system's own in front. Pure. */

export interface DeviceOption {
  /** Empty: the system's own. */
  readonly value: string;
  readonly name: string;
}

/** By which browsers list the system's own once more, beside the device that it is. */
const ALIASES = ['default', 'communications'];

export function deviceOptions(
  devices: readonly Pick<MediaDeviceInfo, 'deviceId' | 'label'>[],
  systemDefault: string,
  numbered: (number: number) => string,
): readonly DeviceOption[] {
  const own = devices.filter(({ deviceId }) => !ALIASES.includes(deviceId));
  const named = own.map(({ deviceId, label }, index) => ({ value: deviceId, name: label || numbered(index + 1) }));
  return [{ value: '', name: systemDefault }, ...named];
}

/** The option that stands for the device in use; one that is not listed is the system's own, as far as is known. */
export function chosenOption(active: string, options: readonly DeviceOption[]): string {
  return options.some(({ value }) => value === active) ? active : '';
}

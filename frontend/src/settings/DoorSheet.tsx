/** The settings before a call; fetched when they are opened first. */
import { SettingsSheet } from './SettingsSheet';
import { useDoorDevices, useDoorPersona } from './useDoorSettings';

export default function DoorSheet({ close }: { readonly close: () => void }) {
  return <SettingsSheet persona={useDoorPersona()} devices={useDoorDevices()} close={close} />;
}

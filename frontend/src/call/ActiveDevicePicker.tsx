/** Changes the device of a running call. */
import { useRoomContext } from '@livekit/components-react';
import { RoomEvent } from 'livekit-client';
import { useEffect, useState } from 'react';
import { deviceProblem } from '../session/problems';
import { useReporter } from '../toasts/reporter';
import { DevicePicker } from '../ui/DevicePicker';

export function ActiveDevicePicker({ kind }: { kind: 'audioinput' | 'videoinput' }) {
  const room = useRoomContext();
  const { report } = useReporter();
  const [active, setActive] = useState(room.getActiveDevice(kind) ?? '');
  useEffect(() => {
    const changed = () => setActive(room.getActiveDevice(kind) ?? '');
    changed();
    room.on(RoomEvent.ActiveDeviceChanged, changed);
    return () => void room.off(RoomEvent.ActiveDeviceChanged, changed);
  }, [room, kind]);
  const pick = (deviceId: string) => {
    room
      .switchActiveDevice(kind, deviceId)
      .catch((error: unknown) => report(deviceProblem(kind === 'audioinput' ? 'microphone' : 'camera', error)));
  };
  return <DevicePicker kind={kind} active={active} pick={pick} />;
}

/** The devices of a running call: which are in use, and how they are changed. */
import { useLocalParticipant, useRoomContext } from '@livekit/components-react';
import { LocalAudioTrack, RoomEvent } from 'livekit-client';
import { useCallback, useEffect, useReducer } from 'react';
import { deviceProblem } from '../session/problems';
import type { DeviceControl, DeviceKind } from '../settings/controls';
import { settingsStore } from '../settings/store';
import { KEPT_AS } from '../settings/useDoorSettings';
import { useMediaTrack } from '../sound/useMediaTrack';
import { useReporter } from '../toasts/reporter';

const DEVICE = { audioinput: 'microphone', videoinput: 'camera', audiooutput: 'loudspeaker' } as const;

export function useCallDevices(): DeviceControl {
  const room = useRoomContext();
  const { report } = useReporter();
  const { microphoneTrack } = useLocalParticipant();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    room.on(RoomEvent.ActiveDeviceChanged, redraw);
    return () => void room.off(RoomEvent.ActiveDeviceChanged, redraw);
  }, [room]);
  const pick = useCallback(
    (kind: DeviceKind, deviceId: string) => {
      room
        .switchActiveDevice(kind, deviceId || 'default', deviceId !== '') // not every browser has a device of that name
        .then(() => settingsStore.set({ [KEPT_AS[kind]]: deviceId || null }))
        .catch((error: unknown) => report(deviceProblem(DEVICE[kind], error)));
    },
    [room, report],
  );
  const suppressNoise = useCallback(
    (noiseSuppression: boolean) => {
      const defaults = { ...room.options.audioCaptureDefaults, noiseSuppression };
      room.options.audioCaptureDefaults = defaults;
      const track = microphoneTrack?.track;
      const restarted = track instanceof LocalAudioTrack ? track.restartTrack(defaults) : Promise.resolve();
      restarted
        .then(() => settingsStore.set({ noiseSuppression }))
        .catch((error: unknown) => report(deviceProblem('microphone', error)));
    },
    [room, microphoneTrack, report],
  );
  return {
    active: (kind) => room.getActiveDevice(kind) ?? '',
    pick,
    suppressNoise,
    microphone: useMediaTrack(microphoneTrack) ?? null,
  };
}

/** Microphone, camera, screen and the way out, by hand or by key; the microphone in the middle. */
import { useRoomContext, useTrackToggle } from '@livekit/components-react';
import { Track } from 'livekit-client';
import { useCallback, useMemo, useRef } from 'react';
import { DevicePopover } from '../devices/DevicePopover';
import { typingOnly } from '../devices/typingOnly';
import type { Brought } from '../session/bringDevices';
import type { Turned } from '../session/choices';
import { isOver } from '../session/isOver';
import { type Device, deviceProblem } from '../session/problems';
import type { DeviceControl } from '../settings/controls';
import { useSettings } from '../settings/store';
import { HoldButton } from '../talk/HoldButton';
import type { TalkMode } from '../talk/holdToTalk';
import { useHoldToTalk } from '../talk/useHoldToTalk';
import { useReporter } from '../toasts/reporter';
import { Icon } from '../ui/Icon';
import { useSettled } from '../ui/useSettled';
import { words } from '../words/words';
import { canShareScreen } from './sharing';
import { ToggleButton } from './ToggleButton';
import { useLostDevices } from './useLostDevices';
import { useShortcuts } from './useShortcuts';

interface Props {
  readonly brought: Brought;
  /** They have switched something by hand. */
  readonly turned: (change: Turned) => void;
  readonly devices: DeviceControl;
  readonly mode: TalkMode;
  readonly leave: () => void;
  readonly askToLeave: () => void;
  readonly focusChat: () => void;
}

const CAN_SHARE = canShareScreen(navigator);
const nothing = () => {};
const notBrought = Promise.resolve(false);

export function Controls({ brought, turned, devices, mode, leave, askToLeave, focusChat }: Props) {
  const { letterKeys } = useSettings();
  const hold = useHoldToTalk(mode, brought.microphone);
  const heard = useCallback((on: boolean) => turned({ microphone: on }), [turned]);
  const seen = useCallback((on: boolean) => turned({ camera: on }), [turned]);
  const microphone = useDevice('microphone', Track.Source.Microphone, brought.microphone, heard);
  const camera = useDevice('camera', Track.Source.Camera, brought.camera, seen);
  const screen = useDevice('screen', Track.Source.ScreenShare, notBrought, nothing);
  const choice = useRef<HTMLDivElement>(null);
  useLostDevices(choice);
  const types = typingOnly();
  const mute = mode === 'open' && !types ? microphone.toggle : nothing;
  const film = types ? nothing : camera.toggle;
  const actions = useMemo(
    () => ({ mute, camera: film, leave: askToLeave, chat: focusChat }),
    [mute, film, askToLeave, focusChat],
  );
  useShortcuts(actions, letterKeys);
  const key = (letter: string) => (letterKeys ? letter : undefined);
  return (
    <fieldset className="controls" aria-label={words.call.controls}>
      {!types && (
        <ToggleButton name={words.call.camera} shortcut={key('V')} icons={['camera', 'camera-off']} {...camera} />
      )}
      {CAN_SHARE && <ToggleButton name={words.call.shareScreen} icons={['screen', 'screen']} {...screen} />}
      {types ? null : mode === 'held' ? (
        <HoldButton {...hold} />
      ) : (
        <ToggleButton
          name={words.call.microphone}
          shortcut={key('M')}
          icons={['mic', 'mic-off']}
          main
          disabled={mode === 'off'}
          {...microphone}
        />
      )}
      <DevicePopover control={devices} popover={choice} />
      <button
        type="button"
        className="leave"
        data-testid="leave"
        onClick={leave}
        aria-label={words.call.leaveCall}
        title={words.call.leaveTip}
      >
        <Icon name="leave" />
      </button>
    </fieldset>
  );
}

/**
 * @param coming settles when the one that was chosen at the door is there, or will not be: until then nothing is turned.
 * @param turned is told what they want.
 */
function useDevice(
  device: Device,
  source: Track.Source.Microphone | Track.Source.Camera | Track.Source.ScreenShare,
  coming: Promise<boolean>,
  turned: (on: boolean) => void,
) {
  const room = useRoomContext();
  const { report, withdraw } = useReporter();
  const failed = useCallback(
    (error: unknown) => {
      if (!isOver(room)) report(deviceProblem(device, error));
    },
    [room, report, device],
  );
  const { toggle, enabled, pending } = useTrackToggle({ source, onDeviceError: failed });
  const waits = !useSettled(coming) || pending;
  return useMemo(() => {
    const turn = () => {
      withdraw(deviceProblem(device, null).code);
      turned(!enabled);
      toggle().catch(failed);
    };
    return { on: enabled, pending: waits, toggle: waits ? nothing : turn };
  }, [toggle, enabled, waits, device, failed, withdraw, turned]);
}

/** Microphone, camera, screen and the way out, by hand or by key; the microphone in the middle. */
import { useTrackToggle } from '@livekit/components-react';
import { Track } from 'livekit-client';
import { useMemo } from 'react';
import { DevicePopover } from '../devices/DevicePopover';
import { typingOnly } from '../devices/typingOnly';
import { type Device, deviceProblem } from '../session/problems';
import type { DeviceControl } from '../settings/controls';
import { useSettings } from '../settings/store';
import { HoldButton } from '../talk/HoldButton';
import type { TalkMode } from '../talk/holdToTalk';
import { useHoldToTalk } from '../talk/useHoldToTalk';
import { useReporter } from '../toasts/reporter';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { canShareScreen } from './sharing';
import { ToggleButton } from './ToggleButton';
import { useShortcuts } from './useShortcuts';

interface Props {
  readonly devices: DeviceControl;
  readonly mode: TalkMode;
  readonly leave: () => void;
  readonly askToLeave: () => void;
  readonly focusChat: () => void;
}

const CAN_SHARE = canShareScreen(navigator);
const nothing = () => {};

export function Controls({ devices, mode, leave, askToLeave, focusChat }: Props) {
  const { letterKeys } = useSettings();
  const hold = useHoldToTalk(mode);
  const microphone = useDevice('microphone', Track.Source.Microphone);
  const camera = useDevice('camera', Track.Source.Camera);
  const screen = useDevice('screen', Track.Source.ScreenShare);
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
      <DevicePopover control={devices} />
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

function useDevice(device: Device, source: Track.Source.Microphone | Track.Source.Camera | Track.Source.ScreenShare) {
  const { report, withdraw } = useReporter();
  const { toggle, enabled, pending } = useTrackToggle({
    source,
    onDeviceError: (error) => report(deviceProblem(device, error)),
  });
  return useMemo(() => {
    const turn = () => {
      withdraw(deviceProblem(device, null).code);
      toggle().catch((error: unknown) => report(deviceProblem(device, error)));
    };
    return { on: enabled, pending, toggle: turn };
  }, [toggle, enabled, pending, device, report, withdraw]);
}

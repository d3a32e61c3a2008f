/** Microphone, camera, screen and the way out, by hand or by key. */
import { useTrackToggle } from '@livekit/components-react';
import { Track } from 'livekit-client';
import { useMemo } from 'react';
import { type Device, deviceProblem } from '../session/problems';
import { useReporter } from '../toasts/reporter';
import { Icon } from '../ui/Icon';
import { ActiveDevicePicker } from './ActiveDevicePicker';
import { canShareScreen } from './sharing';
import { ToggleButton } from './ToggleButton';
import { useShortcuts } from './useShortcuts';

interface Props {
  readonly leave: () => void;
  readonly askToLeave: () => void;
  readonly focusChat: () => void;
}

const CAN_SHARE = canShareScreen(navigator);

export function Controls({ leave, askToLeave, focusChat }: Props) {
  const microphone = useDevice('microphone', Track.Source.Microphone);
  const camera = useDevice('camera', Track.Source.Camera);
  const screen = useDevice('screen', Track.Source.ScreenShare);
  const actions = useMemo(
    () => ({ mute: microphone.toggle, camera: camera.toggle, leave: askToLeave, chat: focusChat }),
    [microphone.toggle, camera.toggle, askToLeave, focusChat],
  );
  useShortcuts(actions);
  return (
    <div className="controls" role="toolbar" aria-label="Call controls">
      <div className="split">
        <ToggleButton name="Microphone" shortcut="M" icons={['mic', 'mic-off']} {...microphone} />
        <ActiveDevicePicker kind="audioinput" />
      </div>
      <div className="split">
        <ToggleButton name="Camera" shortcut="V" icons={['camera', 'camera-off']} {...camera} />
        <ActiveDevicePicker kind="videoinput" />
      </div>
      {CAN_SHARE && <ToggleButton name="Share the screen" icons={['screen', 'screen']} {...screen} />}
      <button
        type="button"
        className="leave"
        data-testid="leave"
        onClick={leave}
        aria-label="Leave the call"
        title="Leave (Esc)"
      >
        <Icon name="leave" />
      </button>
    </div>
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

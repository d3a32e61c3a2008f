/** Microphone with its level, camera, loudspeaker with a tone to try it, noise suppression. */
import { useState } from 'react';
import type { DeviceControl, DeviceKind } from '../settings/controls';
import { SelectRow, SwitchRow } from '../settings/rows';
import { useSettings } from '../settings/store';
import { chosenOption, deviceOptions } from '../ui/deviceOptions';
import { useDevices } from '../ui/useDevices';
import { words } from '../words/words';
import { MicrophoneLevel } from './MicrophoneLevel';
import { canChooseLoudspeaker, playTone } from './tone';
import { typingOnly } from './typingOnly';

interface Props {
  readonly control: DeviceControl;
}

export function DeviceRows({ control }: Props) {
  const { noiseSuppression } = useSettings();
  if (typingOnly()) {
    return (
      <div className="setting-group">
        <p className="fine">{words.problems.insecure}</p>
        <LoudspeakerRow control={control} />
      </div>
    );
  }
  return (
    <div className="setting-group">
      <DeviceRow kind="audioinput" control={control} />
      <MicrophoneLevel control={control} />
      <SwitchRow
        label={words.sheet.noise}
        hint={words.sheet.noiseHint}
        testid="noise-suppression"
        on={noiseSuppression}
        turn={(on) => control.suppressNoise(on)}
      />
      <DeviceRow kind="videoinput" control={control} />
      <LoudspeakerRow control={control} />
    </div>
  );
}

function DeviceRow({ kind, control }: Props & { readonly kind: 'audioinput' | 'videoinput' }) {
  const audio = kind === 'audioinput';
  const options = useDeviceOptions(kind);
  return (
    <SelectRow
      label={audio ? words.sheet.microphone : words.sheet.camera}
      testid={`device-${kind}`}
      value={chosenOption(control.active(kind), options)}
      options={options}
      pick={(deviceId) => control.pick(kind, deviceId)}
    />
  );
}

function LoudspeakerRow({ control }: Props) {
  const [playing, setPlaying] = useState(false);
  const active = control.active('audiooutput');
  const options = useDeviceOptions('audiooutput');
  const play = () => {
    setPlaying(true);
    playTone(active)
      .catch(() => {})
      .finally(() => setPlaying(false));
  };
  return (
    <SelectRow
      label={words.sheet.loudspeaker}
      testid="device-audiooutput"
      hint={canChooseLoudspeaker() ? undefined : words.sheet.loudspeakerFixed}
      disabled={!canChooseLoudspeaker()}
      value={chosenOption(active, options)}
      options={options}
      pick={(deviceId) => control.pick('audiooutput', deviceId)}
    >
      <button
        type="button"
        className="small"
        data-testid="tone"
        data-playing={playing}
        aria-disabled={playing}
        onClick={playing ? undefined : play}
      >
        {words.sheet.testTone}
      </button>
    </SelectRow>
  );
}

function useDeviceOptions(kind: DeviceKind) {
  const numbered = {
    audioinput: words.settings.microphoneNumber,
    videoinput: words.settings.cameraNumber,
    audiooutput: words.sheet.loudspeakerNumber,
  }[kind];
  return deviceOptions(useDevices(kind), words.settings.systemDefault, numbered);
}

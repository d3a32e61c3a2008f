/** The whole page: the door (start, joining, all lines busy) or the call, with messages over both. */
import { useCallback, useMemo, useReducer, useState } from 'react';
import { CallScreen } from './call/CallScreen';
import type { Choices, Place } from './session/choices';
import type { Problem } from './session/problems';
import type { UrlOptions } from './session/urlOptions';
import { useCall } from './session/useCall';
import { BusyCard } from './start/BusyCard';
import { Door } from './start/Door';
import { FailedCard } from './start/FailedCard';
import { JoiningCard } from './start/JoiningCard';
import { StartCard } from './start/StartCard';
import { ReporterContext } from './toasts/reporter';
import { Toasts } from './toasts/Toasts';
import { nextToasts } from './toasts/toasts';

export function App({ options }: { options: UrlOptions }) {
  const [toasts, dispatchToast] = useReducer(nextToasts, []);
  const report = useCallback((problem: Problem) => dispatchToast({ type: 'report', problem }), []);
  const withdraw = useCallback((code: string) => dispatchToast({ type: 'withdraw', code }), []);
  const reporter = useMemo(() => ({ report, withdraw }), [report, withdraw]);

  const [choices, setChoices] = useState<Choices>({
    microphone: true,
    camera: options.camera,
    microphoneId: null,
    cameraId: null,
  });
  const choose = useCallback((change: Partial<Choices>) => setChoices((now) => ({ ...now, ...change })), []);
  const here: Place = { room: options.room, identity: null };
  const { phase, begin, stop } = useCall(report, options.autostart ? { choices, place: here } : null);

  return (
    <ReporterContext value={reporter}>
      {phase.at === 'call' ? (
        <CallScreen
          call={phase.call}
          leave={stop}
          rejoin={() => begin(phase.choices, phase.place)}
          anew={() => begin(phase.choices, here)}
        />
      ) : (
        <Door>
          {phase.at === 'start' && (
            <StartCard
              choices={choices}
              choose={choose}
              farewell={phase.farewell}
              here={here}
              start={(place) => begin(choices, place)}
            />
          )}
          {phase.at === 'joining' && <JoiningCard cancel={stop} />}
          {phase.at === 'busy' && (
            <BusyCard
              wait={phase.wait}
              farewell={phase.farewell}
              start={(place) => begin(phase.choices, place ?? phase.place)}
              cancel={stop}
            />
          )}
          {phase.at === 'failed' && (
            <FailedCard problem={phase.problem} again={() => begin(phase.choices, phase.place)} back={stop} />
          )}
        </Door>
      )}
      <Toasts toasts={toasts} dismiss={withdraw} />
    </ReporterContext>
  );
}

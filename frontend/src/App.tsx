/** The whole page: the door (start, joining, all lines busy) or the call, with messages over both. */
import { lazy, Suspense, useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { AboutContext, useAskedAbout } from './about/useAbout';
import { typingOnly } from './devices/typingOnly';
import { useHost } from './embed/host';
import { wantedAccess } from './session/access';
import { type Choices, choicesOf, goingOn, type Place, type Turned } from './session/choices';
import { loadCallWhenIdle, loadedCall } from './session/loadCall';
import { type Problem, signInFailed } from './session/problems';
import type { UrlOptions } from './session/urlOptions';
import { useCall } from './session/useCall';
import { settingsStore, useSettings } from './settings/store';
import { useCaptionSize } from './settings/useCaptionSize';
import { BusyCard } from './start/BusyCard';
import { Door } from './start/Door';
import { FailedCard } from './start/FailedCard';
import { JoiningCard } from './start/JoiningCard';
import { StartCard } from './start/StartCard';
import { ReporterContext } from './toasts/reporter';
import { Toasts } from './toasts/Toasts';
import { nextToasts } from './toasts/toasts';
import { useArrivalFocus } from './ui/useArrivalFocus';
import { useLanguage } from './words/words';

const AccessCard = lazy(async () => ({ default: (await import('./start/AccessCard')).AccessCard }));

export function App({ options }: { options: UrlOptions }) {
  useLanguage();
  const [toasts, dispatchToast] = useReducer(nextToasts, options.signInFailed ? [{ ...signInFailed(), id: 0 }] : []);
  const report = useCallback((problem: Problem) => dispatchToast({ type: 'report', problem }), []);
  const withdraw = useCallback((code: string) => dispatchToast({ type: 'withdraw', code }), []);
  const reporter = useMemo(() => ({ report, withdraw }), [report, withdraw]);

  const settings = useSettings();
  useCaptionSize(settings.captionSize);
  const [linkedCamera, setLinkedCamera] = useState(options.camera);
  const wished = choicesOf(settings, linkedCamera);
  const choices = typingOnly() ? { ...wished, microphone: false, camera: false } : wished;
  const choose = useCallback((change: Partial<Choices>) => {
    if (change.camera !== undefined) setLinkedCamera(null);
    // Who switches the microphone on wants to talk.
    const talks = change.microphone === true && settingsStore.now().textOnly === true;
    settingsStore.set(talks ? { ...change, textOnly: false } : change);
  }, []);
  const here: Place = { room: options.room, identity: null };
  const switched = useRef<Turned>({});
  const turned = useCallback((change: Turned) => {
    switched.current = { ...switched.current, ...change };
  }, []);
  const { phase, begin, leave, stop } = useCall(report, options.autostart ? { choices: wished, place: here } : null);
  const about = useAskedAbout(phase.at !== 'call');
  const goOn = (place: Place) => begin(goingOn(choices, switched.current, settings.textOnly === true), place);
  const beginAnew: typeof begin = (...how) => {
    switched.current = {};
    begin(...how);
  };
  useEffect(loadCallWhenIdle, []);
  const parts = loadedCall();

  useEffect(() => {
    if (phase.at === 'call' || phase.at === 'after') return () => dispatchToast({ type: 'cleared' });
  }, [phase.at]);

  useHost(phase.at === 'call');
  useArrivalFocus(phase.at);

  return (
    <ReporterContext value={reporter}>
      <AboutContext value={about}>
        {phase.at === 'call' && parts ? (
          <parts.CallScreen
            call={phase.call}
            leave={leave}
            turned={turned}
            rejoin={() => goOn(phase.place)}
            anew={() => goOn(here)}
          />
        ) : phase.at === 'after' && parts ? (
          <parts.AfterCall
            call={phase.call}
            place={phase.place}
            end={phase}
            again={() => goOn(phase.place)}
            anew={() => beginAnew(choices, here)}
            back={stop}
          />
        ) : (
          <Door>
            {phase.at === 'start' && (
              <StartCard
                choices={choices}
                choose={choose}
                farewell={phase.farewell}
                here={here}
                start={(place) => beginAnew(choices, place)}
                ask={(question) =>
                  beginAnew({ ...choices, camera: choices.camera || question.aboutPicture }, here, question)
                }
              />
            )}
            {phase.at === 'joining' && <JoiningCard cancel={stop} />}
            {phase.at === 'busy' && (
              <BusyCard
                wait={phase.wait}
                farewell={phase.farewell}
                start={(place) => begin(phase.choices, place ?? phase.place, place ? null : phase.question)}
                cancel={stop}
              />
            )}
            {phase.at === 'failed' && wantedAccess(phase.problem.code) && (
              <Suspense>
                <AccessCard
                  by={wantedAccess(phase.problem.code) ?? 'password'}
                  again={() => begin(phase.choices, phase.place, phase.question)}
                  back={stop}
                />
              </Suspense>
            )}
            {phase.at === 'failed' && !wantedAccess(phase.problem.code) && (
              <FailedCard
                problem={phase.problem}
                again={() => begin(phase.choices, phase.place, phase.question)}
                back={stop}
              />
            )}
          </Door>
        )}
      </AboutContext>
      <Toasts toasts={toasts} dismiss={withdraw} />
    </ReporterContext>
  );
}

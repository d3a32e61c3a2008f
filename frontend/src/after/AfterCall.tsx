/** What remains of a call: its figures, what was said, what the person thought of it, and the way on. */
import { useRef, useState } from 'react';
import { useAbout } from '../about/useAbout';
import { useConversation } from '../conversation/useConversation';
import { handOver, REPLAY } from '../replay/handOver';
import { GOODBYE } from '../session/callProblems';
import type { Place } from '../session/choices';
import type { Call } from '../session/openCall';
import type { End } from '../session/phase';
import DoorSheet from '../settings/DoorSheet';
import { SettingsButton } from '../settings/SettingsButton';
import { keptInTab } from '../storage/storage';
import { ThemeToggle } from '../theme/ThemeToggle';
import { useReporter } from '../toasts/reporter';
import { useSecondsUntil } from '../ui/useSecondsUntil';
import { words } from '../words/words';
import { forgetAll } from './forgetAll';
import { PastTranscript } from './PastTranscript';
import { Rating } from './Rating';
import { type Figure, figuresOf, summaryOf } from './summary';

interface Props {
  readonly call: Call;
  /** Where it took place. */
  readonly place: Place;
  readonly end: End;
  /** Joins that call again. */
  readonly again: () => void;
  /** Begins another call. */
  readonly anew: () => void;
  readonly back: () => void;
}

export function AfterCall({ call, place, end, again, anew, back }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const about = useAbout();
  const { report } = useReporter();
  const recorded = about?.records ?? false;
  const [forgotten, setForgotten] = useState(false);
  const conversation = useConversation(call.conversation); // its last words come as the room is left
  const durationMs = end.endedMs - call.startedMs;

  const forgetCall = async () => {
    if (!(await forgetAll(recorded ? call.token : null, keptInTab))) {
      report({ code: 'not-deleted', ...words.records.notDeleted });
      return;
    }
    setForgotten(true);
    heading.current?.focus();
  };
  return (
    <main className="after" data-testid="after">
      <div className="door-corner">
        <ThemeToggle />
        <SettingsButton sheet={(close) => <DoorSheet close={close} />} />
      </div>
      <header>
        <h1 ref={heading} tabIndex={-1}>
          {end.problem && end.problem.code !== GOODBYE ? words.after.broken : words.after.title}
        </h1>
        {end.problem && (
          <div role="alert" data-testid="failed" data-code={end.problem.code}>
            <p className="after-problem">{end.problem.title}</p>
            <p>{end.problem.advice}</p>
          </div>
        )}
        <Figures returned={conversation.before.length > 0} figures={figuresOf(durationMs, summaryOf(conversation))} />
      </header>
      <WayOn end={end} forgotten={forgotten} again={again} anew={anew} back={back} />
      {recorded && !forgotten && (
        <a
          className="link"
          href={REPLAY}
          // biome-ignore lint/security/noBlankTarget: our own page, which only so gets a copy of what this tab keeps
          target="_blank"
          rel="opener"
          data-testid="replay"
          onClick={() => handOver(keptInTab, call.token)}
        >
          {words.records.again}
        </a>
      )}
      {about?.feedback && <Rating token={call.token} />}
      {forgotten ? (
        <p className="after-forgotten" role="status">
          {words.after.deleted}
        </p>
      ) : (
        <PastTranscript
          conversation={conversation}
          room={place.room ?? ''}
          durationMs={durationMs}
          recorded={recorded}
          remove={() => void forgetCall()}
        />
      )}
    </main>
  );
}

function Figures({ returned, figures }: { returned: boolean; figures: readonly Figure[] }) {
  if (figures.length === 0) return null;
  return (
    <dl className="after-figures">
      {figures.map(({ what, value }) => (
        <div key={what}>
          <dt>{figureName(what, value, returned)}</dt>
          <dd data-testid={`after-${what}`}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function figureName(what: Figure['what'], value: string, returned: boolean): string {
  if (what === 'turns') return words.after.turns(Number(value));
  return what === 'duration' && returned ? words.after.durationBack : words.after[what];
}

interface WayOnProps extends Pick<Props, 'end' | 'again' | 'anew' | 'back'> {
  readonly forgotten: boolean;
}

/** As long as the agent waits for its caller, that call goes on; then there is only another one. */
function WayOn({ end: { problem, farewell }, forgotten, again, anew, back }: WayOnProps) {
  const left = useSecondsUntil(farewell?.untilMs ?? 0);
  const goesOn = !forgotten && left > 0;
  const named = forgotten ? undefined : problem?.again;
  return (
    <div className="after-ways">
      <button
        type="button"
        className="primary"
        data-testid={problem ? 'again' : goesOn ? 'continue' : 'anew'}
        onClick={named || goesOn ? again : anew}
      >
        {named ?? (goesOn ? words.after.continueFor(left) : words.after.newCall)}
      </button>
      <button type="button" className="secondary" data-testid="back" onClick={back}>
        {words.after.back}
      </button>
    </div>
  );
}

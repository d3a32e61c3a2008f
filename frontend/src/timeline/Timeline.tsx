/** What each turn took, on one axis, and why the agent did what it did; newest first. */
import { useState } from 'react';
import type { LoggedDecision, Wait } from '../conversation/conversation';
import { seconds, sentence } from '../ui/format';
import { words } from '../words/words';
import { type Axis, axisOf, percent } from './axis';
import { type TurnRow, turnRows } from './rows';
import { TurnBar } from './TurnBar';
import { TurnFigures } from './TurnFigures';
import { whysOf } from './why';

const SHOWN = 50;
/** Beside a turn that nobody looks at. */
const WHYS = 3;

interface Props {
  readonly decisions: readonly LoggedDecision[];
  readonly waits: readonly Wait[];
}

export function Timeline({ decisions, waits }: Props) {
  const [looked, setLooked] = useState<string | null>(null);
  const rows = turnRows(decisions, waits).slice(-SHOWN).toReversed();
  const axis = axisOf(rows);
  const told = rows.find(({ key }) => key === looked) ?? rows.find(({ wait }) => wait) ?? rows[0];
  const newest = decisions.at(-1);
  const lastWait = waits.at(-1);
  return (
    <section
      className="timeline"
      aria-labelledby="timeline-title"
      data-testid="decision"
      data-what={newest?.what ?? ''}
      data-reason={newest?.reason ?? ''}
    >
      <header>
        <h3 id="timeline-title">{words.timeline.title}</h3>
        <span data-testid="latency" data-ms={lastWait ? Math.round(lastWait.ms) : ''}>
          {lastWait ? words.timeline.newest(seconds(lastWait.ms)) : ''}
        </span>
      </header>
      {rows.length === 0 ? (
        <p className="fine">{words.timeline.empty}</p>
      ) : (
        <>
          <Legend />
          <Marks axis={axis} />
          <ol>
            {rows.map((row) => (
              <Turn key={row.key} row={row} axis={axis} told={row === told} look={() => setLooked(row.key)} />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function Legend() {
  const { you, heard, firstWord, firstSound, cut } = words.timeline;
  return (
    <ul className="timeline-legend">
      <li data-stage="you">{you}</li>
      <li data-stage="asr">{heard}</li>
      <li data-stage="aura">{firstWord}</li>
      <li data-stage="tts">{firstSound}</li>
      <li data-stage="cut">{cut}</li>
    </ul>
  );
}

function Marks({ axis }: { axis: Axis }) {
  return (
    <div className="timeline-axis" aria-hidden="true" title={words.timeline.axis}>
      <span>
        {axis.marksMs.map((ms) => (
          <i key={ms} style={{ insetInlineStart: `${percent(axis, ms)}%` }}>
            {ms / 1000}
          </i>
        ))}
      </span>
      <b>{words.timeline.unit}</b>
    </div>
  );
}

interface TurnProps {
  readonly row: TurnRow;
  readonly axis: Axis;
  /** Its figures are shown. */
  readonly told: boolean;
  readonly look: () => void;
}

function Turn({ row, axis, told, look }: TurnProps) {
  const whys = whysOf(row.ticks.map(({ decision }) => decision));
  const shown = told ? whys : whys.slice(-WHYS);
  return (
    <li data-ms={row.wait ? Math.round(row.wait.ms) : ''} data-told={told}>
      <button type="button" aria-label={inWords(row)} aria-pressed={told} onFocus={look} onClick={look}>
        <TurnBar row={row} axis={axis} />
        <span className="total">{row.wait ? seconds(row.wait.ms) : '–'}</span>
      </button>
      <ul className="whys">
        {shown.map(({ text, times, decision }) => (
          <li key={decision.id} data-what={decision.what} data-reason={decision.reason}>
            {text} {times > 1 && <small>{words.timeline.times(times)}</small>}
          </li>
        ))}
      </ul>
      {told && <TurnFigures row={row} />}
    </li>
  );
}

function inWords(row: TurnRow): string {
  const timeline = words.timeline;
  const parts = [
    row.number > 0 ? timeline.turn(row.number) : timeline.outside,
    row.spokeMs !== null && sentence(timeline.spoke(seconds(row.spokeMs))),
    row.number > 0 && sentence(row.wait ? timeline.answeredAfter(seconds(row.wait.ms)) : timeline.notAnswered),
    row.cutMs !== null && sentence(timeline.cutAfter(seconds(row.cutMs))),
  ];
  return parts.filter(Boolean).join('. ');
}

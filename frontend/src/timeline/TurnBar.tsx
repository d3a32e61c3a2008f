/** A turn on the axis: who was busy when, where the agent decided something, and where the person cut it off. */
import { stageWords } from '../agent/words';
import { milliseconds } from '../ui/format';
import { words } from '../words/words';
import { type Axis, percent } from './axis';
import type { Stretch, TurnRow } from './rows';
import { whyText } from './why';

export function TurnBar({ row, axis }: { row: TurnRow; axis: Axis }) {
  return (
    <span className="turn-bar" aria-hidden="true">
      {axis.marksMs.map((ms) => (
        <span key={ms} className="mark-line" style={{ insetInlineStart: `${percent(axis, ms)}%` }} />
      ))}
      {row.stretches.map((stretch) => (
        <Piece key={stretch.part} stretch={stretch} axis={axis} />
      ))}
      {row.ticks.map(({ decision, atMs }) => (
        <span
          key={decision.id}
          className="tick"
          data-what={decision.what}
          title={whyText(decision)}
          style={{ insetInlineStart: `${percent(axis, atMs)}%` }}
        />
      ))}
      {row.cutMs !== null && <span className="cut" style={{ insetInlineStart: `${percent(axis, row.cutMs)}%` }} />}
    </span>
  );
}

function Piece({ stretch: { part, fromMs, toMs }, axis }: { stretch: Stretch; axis: Axis }) {
  const from = percent(axis, fromMs);
  return (
    <span
      className="piece"
      data-stage={part}
      title={`${partWords(part)}: ${milliseconds(toMs - fromMs)}`}
      style={{ insetInlineStart: `${from}%`, inlineSize: `${percent(axis, toMs) - from}%` }}
    />
  );
}

function partWords(part: string): string {
  return part === 'you' ? words.timeline.you : stageWords(part);
}

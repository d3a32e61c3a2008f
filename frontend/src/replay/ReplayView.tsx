/** A record: its waveform, what was said, and what was decided, all at the moment of one cursor. */
import { CaptionLine } from '../call/CaptionLine';
import { Timeline } from '../timeline/Timeline';
import { clock, seconds } from '../ui/format';
import { words } from '../words/words';
import { heardAt, type Replay, type ToolRun, until } from './replay';
import type { Loudness } from './sound';
import { Waveform } from './Waveform';

interface Props {
  readonly replay: Replay;
  readonly loudness: Loudness | null;
  readonly nowMs: number;
  readonly seek: (ms: number) => void;
}

export function ReplayView({ replay, loudness, nowMs, seek }: Props) {
  const heard = heardAt(replay.lines, nowMs);
  const { decisions, waits, tools } = until(replay, nowMs);
  return (
    <>
      <Waveform
        ms={loudness?.ms ?? replay.ms}
        nowMs={nowMs}
        seek={seek}
        loudness={loudness}
        decisions={replay.decisions}
      />
      <div className="replay-parts">
        <section aria-label={words.captions.conversation}>
          <ol className="replay-lines">
            {replay.lines.map(({ line, fromMs }) => (
              <li key={line.key} data-now={line.key === heard} data-come={fromMs <= nowMs}>
                <button type="button" className="quiet" onClick={() => seek(fromMs)}>
                  {clock(fromMs)}
                </button>
                <ol>
                  <CaptionLine line={line} continues={false} />
                </ol>
              </li>
            ))}
          </ol>
        </section>
        <div>
          <Timeline decisions={decisions} waits={waits} />
          <Tools tools={tools} />
        </div>
      </div>
    </>
  );
}

function Tools({ tools }: { tools: readonly ToolRun[] }) {
  if (tools.length === 0) return null;
  return (
    <section>
      <h3>{words.records.replay.tools}</h3>
      <ul className="replay-tools">
        {tools.map(({ key, name, state, ms }) => (
          <li key={key} data-state={state}>
            {name} <small>{`${stateWords(state)}, ${seconds(ms)}`}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}

function stateWords(state: string): string {
  const { states } = words.tools;
  return Object.hasOwn(states, state) ? states[state as keyof typeof states] : state;
}

/** Both sides of a call along its time, the decisions as marks on it, and the one cursor of all that is shown. */
import type { LoggedDecision } from '../conversation/conversation';
import { whyText } from '../timeline/why';
import { clock } from '../ui/format';
import { words } from '../words/words';
import { outline } from './peaks';
import { COLUMNS, type Loudness } from './sound';

interface Props {
  readonly ms: number;
  readonly nowMs: number;
  readonly seek: (ms: number) => void;
  /** Null: it is not known. */
  readonly loudness: Loudness | null;
  readonly decisions: readonly LoggedDecision[];
}

export function Waveform({ ms, nowMs, seek, loudness, decisions }: Props) {
  const percent = (atMs: number) => `${Math.min(100, Math.max(0, (atMs / Math.max(1, ms)) * 100))}%`;
  return (
    <div className="replay-wave">
      <svg viewBox={`0 0 ${COLUMNS} 100`} preserveAspectRatio="none" aria-hidden="true">
        <path data-side="user" d={outline(loudness?.person ?? [], 25, 24)} />
        <path data-side="agent" d={outline(loudness?.agent ?? [], 75, 24)} />
      </svg>
      {decisions.map((decision) => (
        <span
          key={decision.id}
          className="tick"
          data-what={decision.what}
          title={whyText(decision)}
          style={{ insetInlineStart: percent(decision.atMs) }}
        />
      ))}
      <span className="replay-cursor" style={{ insetInlineStart: percent(nowMs) }} />
      <input
        type="range"
        min={0}
        max={Math.ceil(ms)}
        step={100}
        value={Math.min(nowMs, ms)}
        aria-label={words.records.replay.cursor}
        aria-valuetext={clock(nowMs)}
        onChange={({ target }) => seek(Number(target.value))}
      />
    </div>
  );
}

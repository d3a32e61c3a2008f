/** The conversation as a script, kept at its newest line unless the person reads back. */
import { useEffect, useRef, useState } from 'react';
import type { Line } from '../conversation/conversation';
import { Icon } from '../ui/Icon';
import { Announcer } from './Announcer';
import { CaptionLine } from './CaptionLine';

/** Nearer to the end than this counts as reading along. Pixels. */
const NEAR_PX = 80;

interface Props {
  /** What was said before the person left and came back. */
  readonly before: readonly Line[];
  readonly lines: readonly Line[];
}

export function Captions({ before, lines }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [reading, setReading] = useState(false);
  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight });

  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the lines may lengthen the script
  useEffect(() => {
    if (!reading) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [before, lines, reading]);

  const scrolled = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    setReading(scrollHeight - scrollTop - clientHeight > NEAR_PX);
  };
  return (
    <section className="captions" aria-label="Conversation">
      {/* A scrolling region must be reachable by keyboard. */}
      <div
        className="script"
        ref={box}
        onScroll={scrolled}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Captions"
      >
        {before.length > 0 && (
          <>
            <Script lines={before} />
            <p className="before">Before</p>
          </>
        )}
        {lines.length === 0 && before.length === 0 && <p className="empty">What you and AURA say appears here.</p>}
        <Script lines={lines} />
      </div>
      {reading && (
        <button type="button" className="to-end" onClick={toEnd}>
          <Icon name="down" /> Newest
        </button>
      )}
      <Announcer lines={lines} />
    </section>
  );
}

function Script({ lines }: { lines: readonly Line[] }) {
  return (
    <ol>
      {lines.map((line, index) => (
        <CaptionLine key={line.key} line={line} continues={lines[index - 1]?.side === line.side} />
      ))}
    </ol>
  );
}

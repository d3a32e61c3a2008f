/** One line of the script: tentative while it is heard, broken off where it was cut. */
import type { Line, Mark } from '../conversation/conversation';
import { seconds } from '../ui/format';

const MARKS: Record<Mark, string> = {
  interrupted: 'you cut in here',
  lost: 'the connection broke here',
  aside: 'not taken as a turn',
  unanswered: 'not answered: you went on',
};

export function CaptionLine({ line, continues }: { line: Line; continues: boolean }) {
  const { side, text, final, mark, typed, waitedMs } = line;
  return (
    <li className="line" data-side={side} data-final={final} data-mark={mark ?? 'none'} data-continues={continues}>
      <span className="who">{side === 'agent' ? 'AURA' : 'You'}</span>
      <div>
        <p className="said" data-testid={`caption-${side}`} data-final={final} data-mark={mark ?? 'none'}>
          {text}
        </p>
        {mark && <span className="mark">{MARKS[mark]}</span>} {typed && <span className="note">typed</span>}{' '}
        {waitedMs !== null && <span className="note">after {seconds(waitedMs)}</span>}
      </div>
    </li>
  );
}

/** One line of the script: tentative while it is heard, broken off where it was cut. */
import type { Line } from '../conversation/conversation';
import { seconds } from '../ui/format';
import { words } from '../words/words';
import { Said } from './Said';

export function CaptionLine({ line, continues }: { line: Line; continues: boolean }) {
  const { side, text, final, mark, typed, waitedMs, lang } = line;
  return (
    <li className="line" data-side={side} data-final={final} data-mark={mark ?? 'none'} data-continues={continues}>
      <span className="who">
        {side === 'agent' ? words.captions.agent : words.captions.you}
        {waitedMs !== null && <span className="waited">{words.captions.after(seconds(waitedMs))}</span>}
      </span>
      <div dir="auto" lang={lang}>
        <div className="said" data-testid={`caption-${side}`} data-final={final} data-mark={mark ?? 'none'}>
          <Said side={side} text={text} />
        </div>{' '}
        {mark && <span className="mark">{words.captions.marks[mark]}</span>}{' '}
        {typed && <span className="note">{words.captions.typed}</span>}
      </div>
    </li>
  );
}

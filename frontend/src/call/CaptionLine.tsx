/** One line of the script: tentative while it is heard, broken off where it was cut. */
import type { Line } from '../conversation/conversation';
import { lineNotes, lineText } from '../conversation/lineWords';
import { seconds } from '../ui/format';
import { words } from '../words/words';
import { Said } from './Said';

export function CaptionLine({ line, continues }: { line: Line; continues: boolean }) {
  const { side, final, mark, waitedMs, lang } = line;
  const notes = lineNotes(line);
  return (
    <li className="line" data-side={side} data-final={final} data-mark={mark ?? 'none'} data-continues={continues}>
      <span className="who">
        {side === 'agent' ? words.captions.agent : words.captions.you}
        {waitedMs !== null && <span className="waited">{words.captions.after(seconds(waitedMs))}</span>}
      </span>
      <div dir="auto" lang={lang}>
        <div className="said" data-testid={`caption-${side}`} data-final={final} data-mark={mark ?? 'none'}>
          <Said side={side} text={lineText(line)} />
        </div>{' '}
        {mark && <span className="mark">{words.captions.marks[mark]}</span>}{' '}
        {notes.length > 0 && <span className="note">{notes.join(', ')}</span>}
      </div>
    </li>
  );
}

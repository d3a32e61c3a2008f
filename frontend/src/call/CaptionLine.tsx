/** One line of the script: tentative while it is heard, broken off where it was cut. */
import { memo } from 'react';
import type { Line } from '../conversation/conversation';
import { lineNotes, lineText } from '../conversation/lineWords';
import { seconds } from '../ui/format';
import { words } from '../words/words';
import { Said } from './Said';

interface Props {
  readonly line: Line;
  readonly continues: boolean;
  /** Asks a question again that was left open; absent: it is not offered. */
  readonly ask?: ((text: string) => void) | undefined;
}

/** Drawn again only if something of it has changed: each token of an answer changes one line of hundreds. */
export const CaptionLine = memo(function CaptionLine({ line, continues, ask }: Props) {
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
        {mark === 'open' && ask && line.text && !line.picture && (
          <button type="button" className="ask-again" data-testid="ask-again" onClick={() => ask(line.text)}>
            {words.captions.askAgain}
          </button>
        )}
        {notes.length > 0 && <span className="note">{notes.join(', ')}</span>}
      </div>
    </li>
  );
});

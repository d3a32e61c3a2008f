/** Tells screen readers each line once, when it is final; tentative words would be read over and over. */
import type { Line } from '../conversation/conversation';
import { lineText } from '../conversation/lineWords';
import { words } from '../words/words';
import { plain } from './markdown';

export function Announcer({ lines }: { lines: readonly Line[] }) {
  const newest = lines.filter((line) => line.final).slice(-4);
  return (
    <ul className="unseen" aria-live="polite" aria-relevant="additions">
      {newest.map((line) => (
        <li key={line.key}>
          {line.text && (line.side === 'agent' ? words.captions.agentSaid : words.captions.youSaid)}{' '}
          <span lang={line.lang}>{line.side === 'agent' ? plain(line.text) : lineText(line)}</span>
          {line.mark === 'interrupted' && ` ${words.captions.interrupted}`}
        </li>
      ))}
    </ul>
  );
}

/** A call's words as plain text, to be copied or kept. Pure. */
import type { Line } from '../conversation/conversation';
import { lineNotes, lineText } from '../conversation/lineWords';
import { words } from '../words/words';

/** A line of text for each line of the call; the first says what it is. */
export function transcriptText(title: string, before: readonly Line[], lines: readonly Line[]): string {
  const earlier = before.length > 0 ? [`— ${words.captions.before} —`, ...before.map(told), '—'] : [];
  return [title, '', ...earlier, ...lines.map(told), ''].join('\n');
}

function told(line: Line): string {
  const who = line.side === 'agent' ? words.captions.agent : words.captions.you;
  const notes = [...lineNotes(line), line.mark && words.after.marks[line.mark]].filter(Boolean);
  return `${who}: ${lineText(line).trim()}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

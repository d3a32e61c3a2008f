/** A call's words as plain text, to be copied or kept. Pure. */
import type { Line } from '../conversation/conversation';
import { words } from '../words/words';

/** A line of text for each line of the call; the first says what it is. */
export function transcriptText(title: string, before: readonly Line[], lines: readonly Line[]): string {
  const earlier = before.length > 0 ? [`— ${words.captions.before} —`, ...before.map(lineText), '—'] : [];
  return [title, '', ...earlier, ...lines.map(lineText), ''].join('\n');
}

function lineText({ side, text, typed, mark }: Line): string {
  const who = side === 'agent' ? words.captions.agent : words.captions.you;
  const notes = [typed && words.captions.typed, mark && words.after.marks[mark]].filter(Boolean);
  return `${who}: ${text.trim()}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

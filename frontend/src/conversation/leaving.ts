/** Marks what a person leaves open who leaves the call: an answer that they cut, or a question that has none. Pure. */
import { END_CALL } from '../agent/attributes';
import type { ConversationState, Line, Mark } from './conversation';

type Told = Pick<ConversationState, 'lines' | 'decisions' | 'tools'>;

/** The lines as they are once the person has left. */
export function linesWhenLeft({ lines, decisions, tools }: Told): readonly Line[] {
  const said = lines.filter(({ mark }) => mark !== 'aside');
  const newest = said.at(-1);
  if (newest?.side === 'agent' && !newest.final) return marked(lines, newest, 'left');
  const asked = said.findLast(({ side }) => side === 'user');
  const works = tools.some(({ name, state }) => state === 'running' && name !== END_CALL);
  if (!asked?.final || (newest !== asked && !works)) return lines;
  const silent = decisions.some(({ what, seenMs }) => what === 'silent' && seenMs >= asked.touchedMs);
  return silent ? lines : marked(lines, asked, 'open');
}

function marked(lines: readonly Line[], cut: Line, mark: Mark): readonly Line[] {
  return cut.mark ? lines : lines.map((line) => (line === cut ? { ...line, final: true, mark } : line));
}

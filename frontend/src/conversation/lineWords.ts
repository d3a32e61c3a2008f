/** What the page itself says in a line, in the language that is shown. Pure, but for the words. */
import { words } from '../words/words';
import type { Line } from './conversation';

type Shown = Pick<Line, 'text' | 'picture' | 'typed'>;

/** What was said, or in place of it that a picture was shown. */
export function lineText({ text, picture }: Shown): string {
  return text || (picture ? words.showing.shown : '');
}

/** How it came: typed, with a picture. */
export function lineNotes({ text, picture, typed }: Shown): readonly string[] {
  return [typed && words.captions.typed, picture && text && words.showing.withPicture].filter(
    (note) => !!note,
  ) as string[];
}

/** What can go wrong with a picture, in words for the person. */
import { whyNot } from '../agent/rpcProblems';
import type { Problem } from '../session/problems';
import { words } from '../words/words';

const CODE = 'picture';

export function nobodySees(): Problem {
  return { code: CODE, title: words.showing.blind, advice: words.showing.blindAdvice };
}

export function unreadablePicture(): Problem {
  return { code: CODE, title: words.showing.unreadable, advice: words.showing.unreadableAdvice };
}

/** `error`: what the agent answered, who says why it does not take the picture. */
export function pictureNotShown(error: unknown): Problem {
  return { code: CODE, title: words.showing.notShown, advice: whyNot(error) || words.showing.notShownAdvice };
}

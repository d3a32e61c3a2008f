/** The script of what was said. */
import type { Mark } from '../../conversation/conversation';

export const captions = {
  conversation: 'Conversation',
  captions: 'Captions',
  before: 'Earlier',
  empty: 'What you and AURA say appears here.',
  newest: 'Newest',
  agent: 'AURA',
  you: 'You',
  typed: 'typed',
  after: (time: string) => `after ${time}`,
  marks: {
    interrupted: 'you cut in here',
    left: 'you left here',
    anew: 'given anew below',
    lost: 'the connection broke here',
    aside: 'not taken as a turn',
    unanswered: 'not answered: you went on',
    open: 'not answered: you left',
  } satisfies Record<Mark, string>,
  askAgain: 'Ask again',
  /** Read aloud, in front of a line. */
  agentSaid: 'AURA said:',
  youSaid: 'You said:',
  interrupted: '(interrupted)',
};

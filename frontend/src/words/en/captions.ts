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
    lost: 'the connection broke here',
    aside: 'not taken as a turn',
    unanswered: 'not answered: you went on',
  } satisfies Record<Mark, string>,
  /** Read aloud, in front of a line. */
  agentSaid: 'AURA said:',
  youSaid: 'You said:',
  interrupted: '(interrupted)',
};

/** Die Mitschrift dessen, was gesagt wurde. */
import type { Words } from '../en';

export const captions: Words['captions'] = {
  conversation: 'Gespräch',
  captions: 'Untertitel',
  before: 'Zuvor',
  empty: 'Was du und AURA sagt, erscheint hier.',
  newest: 'Neueste',
  agent: 'AURA',
  you: 'Du',
  typed: 'geschrieben',
  after: (time) => `nach ${time}`,
  marks: {
    interrupted: 'hier bist du ins Wort gefallen',
    left: 'hier bist du gegangen',
    anew: 'unten noch einmal',
    lost: 'hier brach die Verbindung ab',
    aside: 'nicht als Beitrag gewertet',
    unanswered: 'nicht beantwortet: Du hast weitergeredet',
    open: 'nicht beantwortet: Du bist gegangen',
  },
  askAgain: 'Noch einmal fragen',
  agentSaid: 'AURA sagte:',
  youSaid: 'Du sagtest:',
  interrupted: '(unterbrochen)',
};

/** Was die Seite über sich sagt. */
import type { Words } from '../en';

export const about: Words['about'] = {
  name: 'AURA',
  tagline: 'Eine Stimme zum Reden. Sprich oder tippe, und unterbrich sie, wann immer du willst.',
  taglineTyping: 'Eine Stimme zum Reden. Schreib, hör die Antwort, und unterbrich sie, wann immer du willst.',
  taglineWithEyes:
    'Eine Stimme zum Reden. Sprich, tippe oder zeig ihr etwas, und unterbrich sie, wann immer du willst.',
};

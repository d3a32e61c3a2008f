import type { Words } from '../en';

export const records: Words['records'] = {
  recorded: 'Dieses Gespräch wird aufgezeichnet',
  sound: 'Ton',
  soundTip: 'Was bisher von diesem Gespräch aufgezeichnet wurde, herunterladen',
  notFetched: { title: 'Die Aufzeichnung war nicht zu haben', advice: 'Versuch es gleich noch einmal.' },
  notDeleted: {
    title: 'Die Aufzeichnung ließ sich nicht löschen',
    advice: 'Versuch es gleich noch einmal, oder wende dich an die Betreiber.',
  },
  remove: 'Aufzeichnung löschen',
};

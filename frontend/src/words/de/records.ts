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
  again: 'Noch einmal hören',
  replay: {
    title: 'Ein aufgezeichnetes Gespräch',
    choose: 'Wähle die zwei Dateien einer Aufzeichnung: timeline.json und sound.ogg. Sie bleiben in diesem Browser.',
    unreadable: 'Das ist keine Aufzeichnung, die sich hier zeigen lässt.',
    noWave: 'Dieser Browser kann den Ton nicht zeichnen.',
    play: 'Abspielen',
    pause: 'Anhalten',
    cursor: 'Zeitpunkt im Gespräch',
    tools: 'Werkzeuge',
  },
};

/** Was hinter den Worten geschah, und die Datei darüber. */
import type { Words } from '../en';

export const details: Words['details'] = {
  label: 'Einzelheiten dieses Gesprächs',
  title: 'Dieses Gespräch',
  close: 'Einzelheiten schließen',
  room: (name) => `Für Rückfragen bei den Betreibern: Dieses Gespräch heißt ${name}.`,
  keys: { microphone: 'Mikrofon', camera: 'Kamera', type: 'schreiben', leave: 'auflegen' },
  ahead: (time) => `${time}, im Voraus`,
  download: 'Herunterladen',
  downloadTip: 'Entscheidungen, Zeiten und was gesagt wurde, als JSON',
  exportNote:
    'Was in diesem Gespräch gesagt und geschrieben wurde, wie die Seite es zeigt. Nichts anderes hier verrät, was Menschen gesagt haben.',
};

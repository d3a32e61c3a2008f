/** Der Knopf und das Fenster auf fremden Seiten. */
import type { Words } from '../en';

export const launcher: Words['launcher'] = {
  open: 'Mit AURA sprechen',
  goesOn: 'Das Gespräch mit AURA läuft weiter',
  close: 'Schließen',
  refused: 'AURA lässt sich auf dieser Seite nicht zeigen.',
  alone: 'In einem eigenen Fenster öffnen',
};

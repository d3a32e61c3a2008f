/** Die Seite auf einem anderen Gerät. */
import type { Words } from '../en';

export const reach: Words['reach'] = {
  usePhone: 'Auf dem Handy benutzen',
  title: 'Auf deinem Handy',
  scan: 'Richte die Kamera des Handys auf dieses Bild, oder tippe die Adresse ein:',
  code: (address) => `QR-Code für ${address}`,
  typingOnly: 'Unter dieser Adresse kann ein Handy nur schreiben: Browser erlauben Mikrofone nur unter https://.',
  trustFirst: (address) => `Dort lernt das Handy einmal, diesem Server zu vertrauen. Öffne danach ${address}`,
  close: 'Schließen',
};

/** Bilder, die gezeigt werden. */
import type { showing as english } from '../en/showing';

export const showing: typeof english = {
  flip: 'Zur anderen Kamera wechseln',
  still: 'Ein Bild aufnehmen und zeigen',
  shown: 'Du hast ein Bild gezeigt.',
  withPicture: 'mit einem Bild',
  remove: 'Das Bild entfernen',
  thumbnail: 'Das Bild, das mit deiner Nachricht geht',
  about: 'Was siehst du auf diesem Bild?',
  ask: 'Frag nach dem Bild',
  drop: 'Lass das Bild los, um danach zu fragen',
  taken: 'AURA hat das Bild. Frag danach.',
  blind: 'Hier sieht niemand Bilder',
  blindAdvice: 'Diese Installation hört und spricht, aber sieht nicht.',
  unreadable: 'Das ist kein lesbares Bild',
  unreadableAdvice: 'Nimm ein JPEG, PNG oder WebP.',
  notShown: 'Das Bild wurde nicht gezeigt',
  notShownAdvice: 'Versuche es gleich noch einmal.',
};

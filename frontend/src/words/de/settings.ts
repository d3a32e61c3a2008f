/** Was sich außerhalb der Einstellungen einstellen lässt: Geräte und Aussehen. */
import type { Words } from '../en';

export const settings: Words['settings'] = {
  title: 'Einstellungen',
  themes: { system: 'wie das System', light: 'hell', dark: 'dunkel' },
  theme: (now, next) => `Farben: ${now}. Wechseln zu: ${next}`,
  pageLanguage: 'Sprache der Seite und der Gespräche',
  chooseMicrophone: 'Mikrofon wählen',
  chooseCamera: 'Kamera wählen',
  systemDefault: 'Standard des Systems',
  microphoneNumber: (number) => `Mikrofon ${number}`,
  cameraNumber: (number) => `Kamera ${number}`,
  dismiss: (title) => `Schließen: ${title}`,
};

/** Alles vor einem Gespräch, und was dasteht, wenn es nicht beginnen konnte. */
import type { Words } from '../en';

export const door: Words['door'] = {
  start: 'Gespräch beginnen',
  startTyping: 'Schreiben beginnen',
  continueLast: 'Letztes Gespräch fortsetzen',
  remembersFor: (seconds) => `AURA weiß noch ${seconds} s lang davon.`,
  microphone: 'Mikrofon',
  camera: 'Kamera',
  on: 'an',
  off: 'aus',
  yourCamera: 'Deine Kamera',
  testMicrophone: 'Erst das Mikrofon testen',
  testing: 'Sag etwas: Das Licht folgt deiner Stimme.',
  stopTest: 'Beenden',
  joining: 'Verbindung wird aufgebaut',
  allowMicrophone: 'Wenn der Browser nach dem Mikrofon fragt, erlaube es.',
  cancel: 'Abbrechen',
  full: 'Alle Leitungen sind belegt',
  notReady: 'AURA ist noch nicht bereit',
  tryingAgainIn: (seconds) => `Nächster Versuch in ${seconds} s. Lass die Seite offen, dann wirst du durchgestellt.`,
  tryNow: 'Jetzt versuchen',
  giveUp: 'Aufgeben',
  continueYourLast: 'Dein letztes Gespräch fortsetzen',
  tryAgain: 'Noch einmal versuchen',
  back: 'Zurück',
  blocked: {
    denied: {
      what: 'gesperrt',
      help: 'Öffne die Website-Einstellungen in der Adressleiste, erlaube es dort und lade die Seite neu. Du kannst auch ohne anfangen und schreiben.',
    },
    missing: {
      what: 'nicht gefunden',
      help: 'Schließ ein Gerät an und schalte es hier ein. Du kannst auch ohne anfangen.',
    },
    taken: { what: 'anderswo benutzt', help: 'Beende das andere Programm und schalte hier wieder ein.' },
    failed: { what: 'nicht gestartet', help: 'Wähle ein anderes Gerät aus der Liste. Du kannst auch ohne anfangen.' },
  },
  typingOnly: 'Hier kannst du nur schreiben',
  typingOnlyWhy:
    'Browser geben Mikrofon und Kamera nur Adressen mit https://. Frag die Betreiber von AURA nach einer solchen Adresse, um zu sprechen. Geantwortet wird dir auch hier laut.',
  howToAllow: 'Vom Browser gesperrt: So erlaubst du es',
  whatHelps: 'Was hilft',
};

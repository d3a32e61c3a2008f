/** Alles vor einem Gespräch, und was dasteht, wenn es nicht beginnen konnte. */
import type { Words } from '../en';

export const door: Words['door'] = {
  start: 'Gespräch beginnen',
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
  access: {
    password: 'Wie lautet das Passwort?',
    passwordAdvice: 'Du hast es von denen, die dieses AURA betreiben. Auf diesem Gerät wird nur einmal danach gefragt.',
    passwordLabel: 'Passwort',
    enter: 'Weiter',
    signIn: 'Bitte melde dich an',
    signInAdvice: 'Wer dieses AURA betreibt, möchte wissen, wer anruft. Danach bist du wieder hier.',
    signInNow: 'Anmelden',
    problems: {
      wrong_password: 'Das ist es nicht. Sieh noch einmal nach, und versuch es wieder.',
      too_many_tries: 'Das waren zu viele Versuche von hier. Warte zehn Minuten, dann geht es wieder.',
      away: 'Der Server antwortet nicht. Versuch es gleich noch einmal.',
      other: 'Das hat nicht geklappt. Versuch es gleich noch einmal.',
    },
  },
  tryAgain: 'Noch einmal versuchen',
  back: 'Zurück',
  blocked: {
    denied: {
      what: 'vom Browser gesperrt',
      help: 'Öffne die Website-Einstellungen in der Adressleiste, erlaube es dort und lade die Seite neu. Du kannst auch ohne anfangen und schreiben.',
    },
    missing: {
      what: 'nicht gefunden',
      help: 'Schließ ein Gerät an und schalte es hier ein. Du kannst auch ohne anfangen.',
    },
    taken: { what: 'anderswo benutzt', help: 'Beende das andere Programm und schalte hier wieder ein.' },
    failed: { what: 'nicht gestartet', help: 'Wähle ein anderes Gerät aus der Liste. Du kannst auch ohne anfangen.' },
    insecure: {
      what: 'nicht unter dieser Adresse',
      help: 'Browser geben Mikrofon und Kamera nur Adressen mit https:// und localhost. Öffne die Seite dort. Hier kannst du trotzdem anfangen und schreiben.',
    },
  },
  howToAllow: 'So erlaubst du es',
};

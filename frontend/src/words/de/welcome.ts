/** Was die Seite vor einem Gespräch verspricht: nur, was diese Installation halten kann. */
import type { Words } from '../en';

export const welcome: Words['welcome'] = {
  runsHere: 'Läuft auf diesem Computer. Nichts, was du sagst, verlässt ihn.',
  runsOn: (host) => `Läuft auf einem einzigen Computer, ${host}. Was du sagst, geht nirgendwo anders hin.`,
  answersFrom: (host) => `Die Antworten kommen vom Server ${host}.`,
  goesTo: (hosts) => `Was du sagst, geht an ${hosts}.`,
  starting: 'AURA startet noch. Drück den Knopf, und du wirst durchgestellt.',
  away: 'AURA ist gerade nicht zu erreichen. Der Knopf versucht es weiter.',
  recorded: 'Gespräche werden aufgezeichnet. Du kannst deine Aufzeichnung herunterladen und löschen.',
  questions: 'Etwas für den Anfang',
  story: 'Erzähl mir eine Geschichte',
  practise: (language) => `Üb ${language} mit mir`,
  see: 'Was siehst du?',
  joke: 'Erzähl mir einen Witz',
};

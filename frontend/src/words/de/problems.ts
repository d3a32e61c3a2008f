/** Alles, was schiefgehen kann: was geschehen ist, und was jetzt hilft. */
import type { Device } from '../../session/problems';
import type { Words } from '../en';

interface Noun {
  readonly the: string;
  /** In the accusative. */
  readonly them: string;
  readonly none: string;
  readonly one: string;
  readonly other: string;
  /** With keys, and with a finger. */
  readonly again: readonly [pressed: string, tapped: string];
}

const NOUNS: Record<Device, Noun> = {
  microphone: {
    the: 'Das Mikrofon',
    them: 'das Mikrofon',
    none: 'Kein Mikrofon',
    one: 'eins',
    other: 'ein anderes',
    again: ['drücke M', 'tippe auf das Mikrofon'],
  },
  camera: {
    the: 'Die Kamera',
    them: 'die Kamera',
    none: 'Keine Kamera',
    one: 'eine',
    other: 'eine andere',
    again: ['drücke V', 'tippe auf die Kamera'],
  },
  screen: {
    the: 'Der Bildschirm',
    them: 'den Bildschirm',
    none: 'Kein Bildschirm',
    one: 'einen',
    other: 'einen anderen',
    again: ['teile noch einmal', 'teile noch einmal'],
  },
  loudspeaker: {
    the: 'Der Lautsprecher',
    them: 'den Lautsprecher',
    none: 'Kein Lautsprecher',
    one: 'einen',
    other: 'einen anderen',
    again: ['versuche es noch einmal', 'versuche es noch einmal'],
  },
};

const then = (device: Device, touch: boolean) => NOUNS[device].again[touch ? 1 : 0];

const MEANWHILE = 'Solange kannst du schreiben.';

export const problems: Words['problems'] = {
  device: {
    denied: (device) => `Der Browser erlaubt ${NOUNS[device].them} nicht`,
    deniedAdvice: (device, touch) =>
      `Erlaube es in den Website-Einstellungen der Adressleiste, dann ${then(device, touch)}. ${MEANWHILE}`,
    missing: (device) => `${NOUNS[device].none} gefunden`,
    missingAdvice: (device, touch) => `Schließ ${NOUNS[device].one} an, dann ${then(device, touch)}. ${MEANWHILE}`,
    taken: (device) => `${NOUNS[device].the} wird schon benutzt`,
    takenAdvice: (device, touch) => `Beende das andere Programm, dann ${then(device, touch)}.`,
    failed: (device) => `${NOUNS[device].the} ließ sich nicht starten`,
    failedAdvice: (device, touch) => `Wähle ${NOUNS[device].other}, dann ${then(device, touch)}.`,
  },
  insecure: 'Unter dieser Adresse gibt es kein Mikrofon',
  insecureAdvice: `Browser erlauben es nur unter https:// und auf localhost. Öffne die Seite dort. ${MEANWHILE}`,
  serverGone: 'Die Seite erreicht ihren Server nicht',
  serverGoneAdvice: 'Vielleicht ist dein Netz weg, oder AURA wurde beendet. Versuch es gleich noch einmal.',
  serverGoneTechnical: 'Der Webserver der Seite hat nicht geantwortet. infra/up startet ihn.',
  refusals: {
    full: 'Gerade sind alle Plätze vergeben.',
    unreachable: 'Der Sprachserver ist nicht zu erreichen.',
    starting: 'Der Sprachserver startet noch.',
    wrong_host: 'Unter dieser Adresse ist AURA nicht zu sprechen',
    wrong_origin: 'AURA nimmt von dieser Seite keine Gespräche an',
  },
  refusalAdvice: {
    wrong_host: 'Öffne die Seite unter der Adresse, die dir die Betreiber von AURA genannt haben.',
    wrong_origin: 'Öffne AURA in einem eigenen Fenster.',
  },
  refused: 'AURA nimmt dieses Gespräch nicht an',
  refusedAdvice: 'Versuch es gleich noch einmal. Bleibt es dabei, sag es denen, die AURA betreiben.',
  refusedTechnical: (status, told) => `POST /api/token hat mit ${status} geantwortet. ${told}`.trim(),
  forOperator: 'Für die, die es betreiben',
  broken: 'Die Seite ist kaputtgegangen',
  brokenAdvice: 'Lade sie neu. Ein Gespräch, das gerade lief, wartet ein wenig auf dich.',
  reload: 'Seite neu laden',
};

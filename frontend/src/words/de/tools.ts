/** Die Werkzeuge, die AURA benutzt: wie es um jeden Aufruf steht. */
import type { Words } from '../en';

export const tools: Words['tools'] = {
  title: 'Werkzeuge',
  given: 'mit',
  result: 'Ergebnis',
  unfinished: 'noch keines',
  took: (time) => `seit ${time}`,
  states: {
    running: 'läuft',
    done: 'fertig',
    failed: 'fehlgeschlagen',
    cancelled: 'abgebrochen',
    timed_out: 'dauerte zu lange',
    asks: 'fragt erst',
    lost: 'verloren: AURA war weg',
  },
};

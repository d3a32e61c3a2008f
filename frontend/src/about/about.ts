/** What this installation is and can do, as `GET /api/about` tells it. Pure. */
export interface About {
  readonly state: 'ready' | 'starting' | 'away';
  /** All of it is on the machine of the page's server. */
  readonly runsHere: boolean;
  /** The hosts of what is not, and whether it is only the answers that come from there. */
  readonly elsewhere: readonly string[];
  readonly onlyAnswersElsewhere: boolean;
  /** It looks at pictures; null: not known yet. */
  readonly sees: boolean | null;
  /** ISO 639-1 codes of what it understands and of what it speaks; empty: it does not say. */
  readonly languages: readonly string[];
  readonly voiceLanguages: readonly string[];
  /** Names of voices to choose from; empty: it does not say. */
  readonly voices: readonly string[];
  /** What people think of their calls is kept. */
  readonly feedback: boolean;
  /** Voices can be heard before a call. */
  readonly samples: boolean;
  /** Calls are recorded. */
  readonly records: boolean;
  /** Names of who the agent may be; empty: it is only one. */
  readonly personas: readonly string[];
}

const STATES = ['ready', 'starting', 'away'] as const;

/** Null: what was answered tells nothing. */
export function readAbout(body: unknown): About | null {
  const fields = asRecord(body);
  const state = STATES.find((known) => known === fields.state);
  if (!state) return null;
  const places = asRecord(fields.elsewhere);
  const elsewhere = names(['media', 'pipeline', 'answers'].map((part) => places[part]));
  return {
    state,
    runsHere: fields.runs_here === true,
    elsewhere: [...new Set(elsewhere)],
    onlyAnswersElsewhere: elsewhere.length === 1 && typeof places.answers === 'string',
    sees: typeof fields.sees === 'boolean' ? fields.sees : null,
    languages: names(fields.languages),
    voiceLanguages: names(fields.voice_languages),
    voices: names(fields.voices),
    feedback: fields.feedback === true,
    samples: fields.samples === true,
    records: fields.records === true,
    personas: names(fields.personas),
  };
}

export type Promised =
  | { readonly what: 'starting' | 'away' | 'runsHere' }
  | { readonly what: 'runsOn' | 'answersFrom' | 'goesTo'; readonly hosts: readonly string[] };

/**
 * The one thing to say of where it runs, or that it does not yet; null: nothing is known.
 *
 * @param pageHost by which the page was opened. Only who opened it at a loopback address sits at the machine itself.
 */
export function promised(about: About | null, pageHost: string): Promised | null {
  if (!about) return null;
  if (about.state !== 'ready') return { what: about.state };
  if (about.runsHere) return isLoopback(pageHost) ? { what: 'runsHere' } : { what: 'runsOn', hosts: [pageHost] };
  if (about.elsewhere.length === 0) return null;
  return { what: about.onlyAnswersElsewhere ? 'answersFrom' : 'goesTo', hosts: about.elsewhere };
}

/** The machine itself, by a name of URLs. */
export function isLoopback(host: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(host);
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string' && name !== '') : [];
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

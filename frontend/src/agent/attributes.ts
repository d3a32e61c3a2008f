/** Reads what the agent says about itself in its participant attributes. Unreadable values count as absent. */
export const STATES = ['listening', 'thinking', 'speaking', 'writing', 'watching', 'silent'] as const;
export type AgentState = (typeof STATES)[number] | 'absent' | 'preparing';

/** The agent's own tool that ends the call, after a goodbye: docs/tools.md. */
export const END_CALL = 'end_call';

const SHOWN = ['camera', 'screen'] as const;
export type Shown = (typeof SHOWN)[number];

export interface Decision {
  /** On the agent's clock; with the rest it tells decisions apart. */
  readonly atMs: number;
  readonly what: string;
  /** A code for why, such as `no_words`; empty: none was given. */
  readonly reason: string;
  /** Why, for people. */
  readonly text: string;
  /** The numbers behind it; a name says its unit. */
  readonly figures: Figures;
}

export type Figures = Readonly<Record<string, number | string>>;

export interface Timings {
  readonly responseId: string;
  /** End of the person's speech to the first sound of the answer; null for an answer to typed text. */
  readonly speechEndToFirstAudioMs: number | null;
  readonly createToFirstAudioMs: number | null;
  /** On the agent's clock. */
  readonly atMs: number;
  /** What was waited for, in order: the sum is the whole wait. Milliseconds. */
  readonly stages: readonly StageTime[];
  /** When what happened, in order, from where the wait begins; below 0: before anybody waited. Milliseconds. */
  readonly moments: readonly Moment[];
}

export interface Moment {
  readonly name: string;
  readonly atMs: number;
}

export interface StageTime {
  readonly stage: string;
  readonly waitedMs: number;
  /** What it took by itself, if it was done before anybody waited for it; null: not known. */
  readonly tookMs: number | null;
}

const TOOL_STATES = ['running', 'done', 'failed', 'cancelled', 'timed_out', 'asks'] as const;
/** `lost`: its agent has gone, and nobody knows how it ended. */
export type ToolState = (typeof TOOL_STATES)[number] | 'lost';

/** How a call of a tool stands. */
export interface ToolReport {
  readonly callId: string;
  readonly name: string;
  /** JSON, cut, without secrets. */
  readonly given: string;
  readonly state: ToolState;
  /** How long it took; 0 while it runs. */
  readonly ms: number;
  /** What it returned, or why it did not, cut. */
  readonly result: string;
}

export type Attributes = Readonly<Record<string, string>>;

export function readState(attributes: Attributes): AgentState {
  const own = STATES.find((state) => state === attributes['aura.state']);
  if (own) return own;
  const framework = attributes['lk.agent.state'];
  if (framework === 'idle') return 'listening';
  return STATES.find((state) => state === framework) ?? 'preparing';
}

/** Whether the agent reaches the pipeline. An attribute that is emptied is taken away. */
export function readLine(attributes: Attributes): boolean {
  return Boolean(attributes['aura.connection']);
}

/** The agent's pipeline looks at pictures, or does not; null: not known. */
export function readSees(attributes: Attributes): boolean | null {
  const sees = attributes['aura.sees'];
  return sees ? sees === 'yes' : null;
}

/** The picture of the person that the agent's pipeline is shown now; null: none, or it does not look. */
export function readShown(attributes: Attributes): Shown | null {
  return SHOWN.find((source) => source === attributes['aura.shown']) ?? null;
}

/** Whether the call is recorded. */
export function readRecorded(attributes: Attributes): boolean {
  return attributes['aura.record'] === 'on';
}

/** Whether the agent says that it has no pipeline. */
export function hasLostPipeline(attributes: Attributes): boolean {
  return !readLine(attributes) && Boolean(attributes['aura.error']);
}

export function readDecision(attributes: Attributes): Decision | null {
  const { at_ms: atMs, what, reason, text, figures } = parse(attributes['aura.decision']);
  if (typeof what !== 'string') return null;
  return { atMs: finite(atMs) ?? 0, what, reason: words(reason), text: words(text), figures: readFigures(figures) };
}

export function readTimings(attributes: Attributes): Timings | null {
  const fields = parse(attributes['aura.timings']);
  if (typeof fields.response_id !== 'string') return null;
  return {
    responseId: fields.response_id,
    speechEndToFirstAudioMs: finite(fields.speech_end_to_first_audio_ms),
    createToFirstAudioMs: finite(fields.create_to_first_audio_ms),
    atMs: finite(fields.at_ms) ?? 0,
    stages: readStages(readFigures(fields.waited_ms), readFigures(fields.took_ms)),
    moments: readMoments(readFigures(fields.moments_ms)),
  };
}

export function readTool(attributes: Attributes): ToolReport | null {
  const { call_id: callId, name, arguments: given, state, ms, result } = parse(attributes['aura.tool']);
  const known = TOOL_STATES.find((each) => each === state);
  if (typeof callId !== 'string' || typeof name !== 'string' || !known) return null;
  return { callId, name, given: words(given), state: known, ms: finite(ms) ?? 0, result: words(result) };
}

function readStages(waited: Figures, took: Figures): readonly StageTime[] {
  return Object.entries(waited).flatMap(([stage, ms]) => {
    const waitedMs = finite(ms);
    return waitedMs === null || waitedMs < 0 ? [] : [{ stage, waitedMs, tookMs: finite(took[stage]) }];
  });
}

function readMoments(figures: Figures): readonly Moment[] {
  const moments = Object.entries(figures).flatMap(([name, ms]) => {
    const atMs = finite(ms);
    return atMs === null ? [] : [{ name, atMs }];
  });
  return moments.toSorted((one, other) => one.atMs - other.atMs);
}

/** The figure to show for a turn, in milliseconds: what the person waited. */
export function waitedMs(timings: Timings): number | null {
  return timings.speechEndToFirstAudioMs ?? timings.createToFirstAudioMs;
}

/** The fields of a JSON object; none of what is something else. */
export function parse(json: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json || '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function words(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Numbers and names; whatever else stands there is left out. */
function readFigures(value: unknown): Figures {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter(([, figure]) => finite(figure) !== null || typeof figure === 'string'),
  ) as Figures;
}

function finite(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Where the visit stands: start screen, joining, waiting for a free line, in a call, or failed. Pure. */
import type { Choices, Place } from './choices';
import type { Problem } from './problems';

export interface Farewell {
  readonly durationMs: number;
  /** The room that can still be returned to. */
  readonly place: Place;
  /** Until when, on the clock of `performance.now()`. */
  readonly untilMs: number;
}

export type Phase<Call> =
  | { readonly at: 'start'; readonly farewell: Farewell | null }
  | { readonly at: 'joining'; readonly choices: Choices; readonly place: Place }
  | {
      readonly at: 'busy';
      readonly choices: Choices;
      readonly place: Place;
      readonly wait: Wait;
      readonly farewell: Farewell | null;
    }
  | { readonly at: 'call'; readonly choices: Choices; readonly place: Place; readonly call: Call }
  | { readonly at: 'failed'; readonly choices: Choices; readonly place: Place; readonly problem: Problem };

export interface Wait {
  /** All lines are busy; otherwise the server is not ready yet. */
  readonly full: boolean;
  readonly message: string;
  /** On the clock of `performance.now()`. */
  readonly retryAtMs: number;
}

export type PhaseEvent<Call> =
  | { readonly type: 'begin'; readonly choices: Choices; readonly place: Place }
  | { readonly type: 'later'; readonly wait: Wait; readonly farewell: Farewell | null }
  | { readonly type: 'joined'; readonly call: Call; readonly place: Place }
  | { readonly type: 'failed'; readonly problem: Problem }
  | { readonly type: 'stopped'; readonly farewell: Farewell | null };

export function nextPhase<Call>(phase: Phase<Call>, event: PhaseEvent<Call>): Phase<Call> {
  switch (event.type) {
    case 'begin':
      return { at: 'joining', choices: event.choices, place: event.place };
    case 'later':
      return phase.at === 'joining'
        ? { at: 'busy', choices: phase.choices, place: phase.place, wait: event.wait, farewell: event.farewell }
        : phase;
    case 'joined':
      return phase.at === 'joining'
        ? { at: 'call', choices: phase.choices, place: event.place, call: event.call }
        : phase;
    case 'failed':
      return phase.at === 'joining' || phase.at === 'call'
        ? { at: 'failed', choices: phase.choices, place: phase.place, problem: event.problem }
        : phase;
    case 'stopped':
      return { at: 'start', farewell: event.farewell };
  }
}

/** Where the visit stands: start screen, joining, waiting for a free line, in a call, after it, or failed. Pure. */
import type { Choices, FirstQuestion, Place } from './choices';
import type { Problem } from './problems';

export interface Farewell {
  /** The room that can still be returned to. */
  readonly place: Place;
  /** Until when, on the clock of `performance.now()`. */
  readonly untilMs: number;
}

interface Joining {
  readonly at: 'joining';
  readonly choices: Choices;
  readonly place: Place;
  /** Asked as soon as the agent is there. */
  readonly question: FirstQuestion | null;
}

export type Phase<Call> =
  | { readonly at: 'start'; readonly farewell: Farewell | null }
  | Joining
  | {
      readonly at: 'busy';
      readonly choices: Choices;
      readonly place: Place;
      readonly question: FirstQuestion | null;
      readonly wait: Wait;
      readonly farewell: Farewell | null;
    }
  | { readonly at: 'call'; readonly choices: Choices; readonly place: Place; readonly call: Call }
  | ({ readonly at: 'after'; readonly choices: Choices; readonly place: Place; readonly call: Call } & End)
  | {
      readonly at: 'failed';
      readonly choices: Choices;
      readonly place: Place;
      /** Not asked yet; null: there was none. */
      readonly question: FirstQuestion | null;
      readonly problem: Problem;
    };

export interface End {
  /** On the clock of `performance.now()`. */
  readonly endedMs: number;
  /** Why the call broke off; null: the person has left it. */
  readonly problem: Problem | null;
  readonly farewell: Farewell | null;
}

export interface Wait {
  /** All lines are busy; otherwise the server is not ready yet. */
  readonly full: boolean;
  readonly message: string;
  /** On the clock of `performance.now()`. */
  readonly retryAtMs: number;
}

export type PhaseEvent<Call> =
  | {
      readonly type: 'begin';
      readonly choices: Choices;
      readonly place: Place;
      readonly question: FirstQuestion | null;
    }
  | { readonly type: 'later'; readonly wait: Wait; readonly farewell: Farewell | null }
  | { readonly type: 'joined'; readonly call: Call; readonly place: Place }
  | { readonly type: 'failed'; readonly problem: Problem }
  | ({ readonly type: 'ended' } & End)
  | { readonly type: 'stopped'; readonly farewell: Farewell | null };

export function nextPhase<Call>(phase: Phase<Call>, event: PhaseEvent<Call>): Phase<Call> {
  switch (event.type) {
    case 'begin':
      return { at: 'joining', choices: event.choices, place: event.place, question: event.question };
    case 'later':
      return phase.at === 'joining' ? { ...phase, at: 'busy', wait: event.wait, farewell: event.farewell } : phase;
    case 'joined':
      return phase.at === 'joining'
        ? { at: 'call', choices: phase.choices, place: event.place, call: event.call }
        : phase;
    case 'failed':
      return phase.at === 'joining' ? failed(phase, event.problem) : phase;
    case 'ended':
      return afterwards(phase, event);
    case 'stopped':
      return { at: 'start', farewell: event.farewell };
  }
}

/** A call that ends leaves what was said in it; one that ends while it is being joined was none. */
function afterwards<Call>(phase: Phase<Call>, { endedMs, problem, farewell }: End): Phase<Call> {
  if (phase.at === 'call') {
    const { choices, place, call } = phase;
    return { at: 'after', choices, place, call, endedMs, problem, farewell };
  }
  if (phase.at !== 'joining') return phase;
  return problem ? failed(phase, problem) : { at: 'start', farewell };
}

function failed<Call>({ choices, place, question }: Joining, problem: Problem): Phase<Call> {
  return { at: 'failed', choices, place, question, problem };
}

/** Runs the visit: asks for a token, joins, waits for a free line, leaves; owns at most one attempt at a time. */
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import type { Choices, Place } from './choices';
import { type Call, openCall } from './openCall';
import { type Farewell, nextPhase, type Phase, type PhaseEvent } from './phase';
import type { Problem } from './problems';
import { recall, remember } from './returning';
import { requestToken } from './token';

export interface Visit {
  readonly phase: Phase<Call>;
  begin(choices: Choices, place: Place): void;
  /** Leaves the call, or gives up joining or waiting. */
  stop(): void;
}

/** What a link with `autostart` begins with. */
export interface Beginning {
  readonly choices: Choices;
  readonly place: Place;
}

export function useCall(report: (problem: Problem) => void, beginning: Beginning | null): Visit {
  const [first] = useState(beginning);
  const [phase, dispatch] = useReducer(nextPhase<Call>, first ? { at: 'joining', ...first } : welcome());
  const attempt = useRef<AbortController | null>(null);

  const begin = useCallback(
    (choices: Choices, place: Place) => {
      attempt.current?.abort();
      const controller = new AbortController();
      attempt.current = controller;
      dispatch({ type: 'begin', choices, place });
      const dispatchIfCurrent = (event: PhaseEvent<Call>): void => {
        if (attempt.current === controller) dispatch(event);
      };
      void join(choices, place, report, dispatchIfCurrent, controller.signal);
    },
    [report],
  );
  const stop = useCallback(() => {
    attempt.current?.abort();
    dispatch({ type: 'stopped', farewell: lastVisit() });
  }, []);
  useEffect(() => {
    if (first) begin(first.choices, first.place);
  }, [first, begin]);
  return { phase, begin, stop };
}

async function join(
  choices: Choices,
  place: Place,
  report: (problem: Problem) => void,
  dispatch: (event: PhaseEvent<Call>) => void,
  signal: AbortSignal,
): Promise<void> {
  const answer = await requestToken(place, signal).catch(() => null);
  if (!answer || signal.aborted) return;
  if (answer.kind === 'later') {
    const retryAtMs = performance.now() + answer.retryAfterS * 1000;
    dispatch({ type: 'later', wait: { full: answer.full, message: answer.message, retryAtMs } });
    return;
  }
  if (answer.kind === 'refused') {
    report(answer.problem);
    dispatch({ type: 'stopped', farewell: lastVisit() });
    return;
  }
  let call: Call | null = null;
  const keep = (): void => {
    if (call)
      remember(sessionStorage, { room: call.room.name, identity: call.room.localParticipant.identity }, Date.now());
  };
  const ended = (): void => {
    window.removeEventListener('pagehide', keep);
    keep();
    const durationMs = call ? performance.now() - call.startedMs : 0;
    dispatch({ type: 'stopped', farewell: lastVisit(durationMs) });
  };
  call = await openCall(answer.grant, choices, { report, ended }, signal);
  if (signal.aborted) return;
  if (!call) {
    dispatch({ type: 'stopped', farewell: lastVisit() });
    return;
  }
  window.addEventListener('pagehide', keep);
  dispatch({ type: 'joined', call });
}

function welcome(): Phase<Call> {
  return { at: 'start', farewell: lastVisit() };
}

function lastVisit(durationMs = 0): Farewell | null {
  const last = recall(sessionStorage, Date.now());
  return last ? { durationMs, place: last.place, untilMs: performance.now() + last.leftMs } : null;
}

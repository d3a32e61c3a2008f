/** Runs the visit: asks for a token, joins, waits for a free line, leaves; owns at most one attempt at a time. */
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { keptInTab } from '../storage/storage';
import type { Choices, FirstQuestion, Place } from './choices';
import { loadCall } from './loadCall';
import type { Call } from './openCall';
import { type Farewell, nextPhase, type Phase, type PhaseEvent } from './phase';
import { type Problem, pageServerUnreachable } from './problems';
import { recall } from './returning';
import { requestToken } from './token';

export interface Visit {
  readonly phase: Phase<Call>;
  begin(choices: Choices, place: Place, question?: FirstQuestion | null): void;
  /** Leaves the call. */
  leave(): void;
  /** Gives up joining or waiting, or turns from what has ended to the door. */
  stop(): void;
}

/** What a link with `autostart` begins with. */
export interface Beginning {
  readonly choices: Choices;
  readonly place: Place;
}

export function useCall(report: (problem: Problem) => void, beginning: Beginning | null): Visit {
  const [first] = useState(beginning);
  const [phase, dispatch] = useReducer(
    nextPhase<Call>,
    first ? { at: 'joining', ...first, question: null } : welcome(),
  );
  const attempt = useRef<AbortController | null>(null);

  const begin = useCallback(
    (choices: Choices, place: Place, question: FirstQuestion | null = null) => {
      attempt.current?.abort();
      const controller = new AbortController();
      attempt.current = controller;
      dispatch({ type: 'begin', choices, place, question });
      const dispatchIfCurrent = (event: PhaseEvent<Call>): void => {
        if (attempt.current === controller) dispatch(event);
      };
      void join(choices, place, question, report, dispatchIfCurrent, controller.signal);
    },
    [report],
  );
  const leave = useCallback(() => {
    attempt.current?.abort();
    dispatch({ type: 'ended', endedMs: performance.now(), problem: null, farewell: lastVisit() });
  }, []);
  const stop = useCallback(() => {
    attempt.current?.abort();
    dispatch({ type: 'stopped', farewell: lastVisit() });
  }, []);
  useEffect(() => {
    if (first) begin(first.choices, first.place);
  }, [first, begin]);
  return { phase, begin, leave, stop };
}

async function join(
  choices: Choices,
  place: Place,
  question: FirstQuestion | null,
  report: (problem: Problem) => void,
  dispatch: (event: PhaseEvent<Call>) => void,
  signal: AbortSignal,
): Promise<void> {
  const loading = loadCall().catch(() => null); // while the token is asked for
  const answer = await requestToken(place, signal).catch(() => null);
  if (!answer || signal.aborted) return;
  if (answer.kind === 'later') {
    const retryAtMs = performance.now() + answer.retryAfterS * 1000;
    const wait = { full: answer.full, message: answer.message, retryAtMs };
    dispatch({ type: 'later', wait, farewell: lastVisit() });
    return;
  }
  if (answer.kind === 'refused') {
    dispatch({ type: 'failed', problem: answer.problem });
    return;
  }
  const parts = await loading;
  if (signal.aborted) return;
  if (!parts) {
    dispatch({ type: 'failed', problem: pageServerUnreachable() });
    return;
  }
  let close = (): void => {};
  let over = false;
  const ended = (problem: Problem | null): void => {
    over = true;
    close();
    dispatch({ type: 'ended', endedMs: performance.now(), problem, farewell: lastVisit() });
  };
  const call = await parts.openCall(answer.grant, choices, { report, ended }, signal);
  if (signal.aborted) return;
  if ('title' in call) {
    dispatch({ type: 'failed', problem: call });
    return;
  }
  if (over) return; // and told to be
  const here: Place = { room: call.room.name, identity: call.room.localParticipant.identity };
  close = parts.keepCall(here, call.conversation);
  signal.addEventListener('abort', close, { once: true });
  if (question) call.ask(question);
  dispatch({ type: 'joined', call, place: here });
}

function welcome(): Phase<Call> {
  return { at: 'start', farewell: lastVisit() };
}

function lastVisit(): Farewell | null {
  const last = recall(keptInTab, Date.now());
  return last ? { place: last.place, untilMs: performance.now() + last.leftMs } : null;
}

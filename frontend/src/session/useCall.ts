/** Runs the visit: asks for a token, joins, waits for a free line, leaves; owns at most one attempt at a time. */
import { ConnectionState } from 'livekit-client';
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { keepLines, keptLines } from '../conversation/keptLines';
import type { Conversation } from '../conversation/openConversation';
import type { Choices, Place } from './choices';
import { type Call, openCall } from './openCall';
import { type Farewell, nextPhase, type Phase, type PhaseEvent } from './phase';
import type { Problem } from './problems';
import { REMEMBER_EVERY_MS, recall, remember } from './returning';
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
    const wait = { full: answer.full, message: answer.message, retryAtMs };
    dispatch({ type: 'later', wait, farewell: lastVisit() });
    return;
  }
  if (answer.kind === 'refused') {
    dispatch({ type: 'failed', problem: answer.problem });
    return;
  }
  let close = (): number => 0;
  const ended = (problem: Problem | null): void => {
    const durationMs = close();
    dispatch(problem ? { type: 'failed', problem } : { type: 'stopped', farewell: lastVisit(durationMs) });
  };
  const call = await openCall(answer.grant, choices, { report, ended }, signal);
  if (signal.aborted) return;
  if ('title' in call) {
    dispatch({ type: 'failed', problem: call });
    return;
  }
  if (call.room.state === ConnectionState.Disconnected) return; // `ended` has been told
  const here: Place = { room: call.room.name, identity: call.room.localParticipant.identity };
  call.conversation.recall(keptLines(sessionStorage, here));
  const forget = keepRemembering(here, call.conversation);
  close = () => {
    forget();
    return performance.now() - call.startedMs;
  };
  dispatch({ type: 'joined', call, place: here });
}

/** Remembers the call while it lasts, also for a tab that dies without a word. Returns what ends that. */
function keepRemembering(place: Place, conversation: Conversation): () => void {
  const keep = (): void => {
    const { before, lines } = conversation.current();
    remember(sessionStorage, place, Date.now());
    keepLines(sessionStorage, place, [...before, ...lines]);
  };
  keep();
  const timer = setInterval(keep, REMEMBER_EVERY_MS);
  window.addEventListener('pagehide', keep);
  return () => {
    clearInterval(timer);
    window.removeEventListener('pagehide', keep);
    keep();
  };
}

function welcome(): Phase<Call> {
  return { at: 'start', farewell: lastVisit() };
}

function lastVisit(durationMs = 0): Farewell | null {
  const last = recall(sessionStorage, Date.now());
  return last ? { durationMs, place: last.place, untilMs: performance.now() + last.leftMs } : null;
}

/** Asks the question of a chip as soon as the agent can answer it. */
import type { Room } from 'livekit-client';
import { type AgentState, readLine, readShown, readState, type Shown } from '../agent/attributes';
import type { FirstQuestion } from './choices';

const BUSY: readonly AgentState[] = ['thinking', 'speaking', 'writing'];
const LOOK_MS = 200;
/** An agent that greets has begun to by then. */
const GREETS_WITHIN_MS = 3_000;
/** A camera that nobody has seen by then stays off: what is asked is asked all the same. */
const SHOWN_WITHIN_MS = 10_000;

export interface Readiness {
  readonly state: AgentState;
  /** It reaches the pipeline. */
  readonly line: boolean;
  readonly shown: Shown | null;
  /** It has said something in this call. */
  readonly greeted: boolean;
  /** For how long it has been there. Milliseconds. */
  readonly hereMs: number;
}

/** Whether to ask now: after the greeting, and of a picture once it is seen. */
export function mayAsk({ aboutPicture }: FirstQuestion, agent: Readiness): boolean {
  if (!agent.line || BUSY.includes(agent.state)) return false;
  if (aboutPicture && agent.shown === null && agent.hereMs < SHOWN_WITHIN_MS) return false;
  return agent.greeted || agent.hereMs >= GREETS_WITHIN_MS;
}

/** Returns what gives it up. */
export function askFirst(
  room: Room,
  question: FirstQuestion,
  greeted: () => boolean,
  type: (text: string) => Promise<void>,
): () => void {
  let sinceMs: number | null = null;
  const look = () => {
    const agent = [...room.remoteParticipants.values()].find(({ isAgent }) => isAgent);
    sinceMs = agent ? (sinceMs ?? performance.now()) : null;
    if (!agent || sinceMs === null) return;
    const known = agent.attributes;
    const hereMs = performance.now() - sinceMs;
    const now = { state: readState(known), line: readLine(known), shown: readShown(known), greeted: greeted(), hereMs };
    if (!mayAsk(question, now)) return;
    clearInterval(timer);
    void type(question.text).catch(() => {}); // the connection is gone, and the page says so
  };
  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}

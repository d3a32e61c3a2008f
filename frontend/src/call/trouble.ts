/** The one thing to say when something is wrong with a call: the gravest, once. Pure. */
import type { AgentState } from '../agent/attributes';

export interface Signs {
  readonly connected: boolean;
  /** The connection has been gone for a while. */
  readonly connectionGone: boolean;
  readonly agent: 'here' | 'expected' | 'lost';
  /** The agent has been missing for longer than it should be. */
  readonly agentMissing: boolean;
  /** The agent reaches the pipeline. */
  readonly line: boolean;
  /** What the agent itself complains about, or empty. */
  readonly complaint: string;
  readonly soundBlocked: boolean;
}

export interface Trouble {
  readonly code: 'connection' | 'agent-lost' | 'agent-missing' | 'line' | 'complaint' | 'sound';
  /** Stands where the agent's state would: the agent does nothing that the person could wait for. */
  readonly title: string | null;
  readonly text: string;
  /** Join this call again, begin another, or let sound play. */
  readonly action: 'return' | 'anew' | 'unlock' | null;
}

export function troubleOf(signs: Signs): Trouble | null {
  if (!signs.connected) {
    return {
      code: 'connection',
      title: 'Connection lost',
      text: signs.connectionGone
        ? 'The server does not answer. Still trying; nothing that you say now is heard.'
        : 'Reconnecting. Nothing that you say now is heard.',
      action: signs.connectionGone ? 'return' : null,
    };
  }
  if (signs.agent === 'lost') {
    return {
      code: 'agent-lost',
      title: 'AURA was cut off',
      text: signs.agentMissing
        ? 'AURA has not come back.'
        : 'It is being called back. What you say until then is not heard.',
      action: signs.agentMissing ? 'anew' : null,
    };
  }
  if (signs.agent === 'expected') {
    if (!signs.agentMissing) return signs.soundBlocked ? SOUND_BLOCKED : null;
    return {
      code: 'agent-missing',
      title: 'Waiting for AURA',
      text: 'AURA has not joined. It may still be starting: wait a little, or start a new call.',
      action: 'anew',
    };
  }
  if (signs.complaint) {
    return {
      code: signs.line ? 'complaint' : 'line',
      title: signs.line ? null : 'AURA cannot answer now',
      text: signs.complaint,
      action: null,
    };
  }
  return signs.soundBlocked ? SOUND_BLOCKED : null;
}

/** What the stage says of the agent in that trouble, and what the line between the voices does. */
export function stageState(state: AgentState, trouble: Trouble | null): { shown: AgentState; drawn: AgentState } {
  if (!trouble?.title) return { shown: state, drawn: state };
  return { shown: 'absent', drawn: trouble.code === 'line' ? 'silent' : 'absent' };
}

const SOUND_BLOCKED: Trouble = {
  code: 'sound',
  title: null,
  text: 'The browser holds the sound back: AURA speaks, and you do not hear it.',
  action: 'unlock',
};

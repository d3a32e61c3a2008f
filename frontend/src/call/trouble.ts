/** The one thing to say when something is wrong with a call: the gravest, once. Pure. */
import type { AgentState } from '../agent/attributes';
import { words } from '../words/words';

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
      title: words.trouble.connection,
      text: signs.connectionGone ? words.trouble.stillTrying : words.trouble.reconnecting,
      action: signs.connectionGone ? 'return' : null,
    };
  }
  if (signs.agent === 'lost') {
    return {
      code: 'agent-lost',
      title: words.trouble.cutOff,
      text: signs.agentMissing ? words.trouble.notBack : words.trouble.calledBack,
      action: signs.agentMissing ? 'anew' : null,
    };
  }
  if (signs.agent === 'expected') {
    if (!signs.agentMissing) return signs.soundBlocked ? soundBlocked() : null;
    return {
      code: 'agent-missing',
      title: words.trouble.waiting,
      text: words.trouble.notJoined,
      action: 'anew',
    };
  }
  if (signs.complaint) {
    return {
      code: signs.line ? 'complaint' : 'line',
      title: signs.line ? null : words.trouble.cannotAnswer,
      text: words.trouble.complaints[signs.complaint] ?? signs.complaint,
      action: null,
    };
  }
  return signs.soundBlocked ? soundBlocked() : null;
}

/** What the stage says of the agent in that trouble, and how its sun stands: low, as long as it is on its way. */
export function stageState(state: AgentState, trouble: Trouble | null): { shown: AgentState; drawn: AgentState } {
  if (!trouble?.title) return { shown: state, drawn: state === 'absent' ? 'preparing' : state };
  return { shown: 'absent', drawn: trouble.code === 'line' ? 'silent' : 'absent' };
}

function soundBlocked(): Trouble {
  return { code: 'sound', title: null, text: words.trouble.soundBlocked, action: 'unlock' };
}

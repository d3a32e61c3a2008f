/** Whether the agent may say something of its own accord: shown as the agent says it is, turned by asking the agent. */

import { readSpeaksUp, SPEAKS_UP } from '../agent/speaksUp';
import type { AgentView } from '../agent/useAgent';
import { useConfigure } from './useConfigure';

export function SpeaksUpSwitch({ agent }: { readonly agent: AgentView }) {
  const { configure, pending } = useConfigure(agent.participant?.identity);
  const on = readSpeaksUp(agent.participant?.attributes ?? {});
  if (on === null || agent.sees === false) return null;
  return (
    <button
      type="button"
      role="switch"
      className="speaks-up"
      data-testid="speaks-up"
      aria-checked={on}
      aria-busy={pending}
      onClick={() => !pending && configure({ proactive: !on })}
    >
      <span>{SPEAKS_UP.title}</span>
      <small>{on ? SPEAKS_UP.on : SPEAKS_UP.off}</small>
    </button>
  );
}

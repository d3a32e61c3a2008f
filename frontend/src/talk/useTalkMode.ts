/** How the person talks in this call, as they have set it and the agent has agreed. */
import { useState } from 'react';
import { readPersona } from '../agent/persona';
import type { AgentView } from '../agent/useAgent';
import { typingOnly } from '../devices/typingOnly';
import { useSettings } from '../settings/store';
import { modeOf, type TalkMode } from './holdToTalk';

export function useTalkMode(agent: AgentView): TalkMode {
  const { holdToTalk, textOnly } = useSettings();
  const agreed = readPersona(agent.participant?.attributes ?? {})?.textOnly;
  // While there is no agent, what the last one agreed to holds: nobody's microphone opens because it has gone.
  const [last, setLast] = useState(agreed);
  if (agreed !== undefined && agreed !== last) setLast(agreed);
  return modeOf(holdToTalk && !typingOnly(), agreed ?? last ?? textOnly ?? false);
}

/** How the person talks in this call, as they have set it and the agent has agreed. */
import { readPersona } from '../agent/persona';
import type { AgentView } from '../agent/useAgent';
import { typingOnly } from '../devices/typingOnly';
import { useSettings } from '../settings/store';
import { modeOf, type TalkMode } from './holdToTalk';

export function useTalkMode(agent: AgentView): TalkMode {
  const { holdToTalk, textOnly } = useSettings();
  const agreed = readPersona(agent.participant?.attributes ?? {})?.textOnly;
  return modeOf(holdToTalk && !typingOnly(), agreed ?? textOnly ?? false);
}

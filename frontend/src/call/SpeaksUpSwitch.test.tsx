import { RoomContext } from '@livekit/components-react';
import type { RemoteParticipant, Room } from 'livekit-client';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { AgentView } from '../agent/useAgent';
import { SpeaksUpSwitch } from './SpeaksUpSwitch';

function drawn(persona: string | undefined, sees: boolean | null = true): string {
  const attributes = persona === undefined ? {} : { 'aura.persona': persona };
  const participant = { identity: 'agent', attributes } as unknown as RemoteParticipant;
  const agent: AgentView = { seen: true, participant, state: 'listening', line: true, sees, shown: null, error: '' };
  return renderToStaticMarkup(
    <RoomContext value={{} as Room}>
      <SpeaksUpSwitch agent={agent} />
    </RoomContext>,
  );
}

it('shows what the agent says, with what that means', () => {
  expect(drawn('{"proactive": true}')).toMatch(/role="switch".*aria-checked="true".*may say something unasked/);
  expect(drawn('{"proactive": false}')).toMatch(/role="switch".*aria-checked="false".*only when you ask/);
});

it('is not there for an agent that does not say', () => {
  expect(drawn(undefined)).toBe('');
  expect(drawn('{"name": "Aura"}')).toBe('');
});

it('promises nothing where the agent sees nothing', () => {
  expect(drawn('{"proactive": true}', false)).toBe('');
});

import { EventEmitter } from 'node:events';
import { type Room, RoomEvent } from 'livekit-client';
import { expect, it } from 'vitest';
import { listenToAgent } from './agentReports';
import type { ConversationEvent } from './conversation';

const TIMED = { 'aura.timings': '{"response_id": "r", "create_to_first_audio_ms": 410}' };
const DECIDED = { 'aura.decision': '{"at_ms": 12, "what": "turn", "text": ""}' };
const CALLED = { 'aura.tool': '{"call_id": "c", "name": "look", "state": "running"}' };

it('tells what changes, and not what the agent had said before the page was there', () => {
  const room = new EventEmitter();
  const told: string[] = [];
  const stop = listenToAgent(room as unknown as Room, ({ type }: ConversationEvent) => told.push(type));
  const agent = { isAgent: true, attributes: { ...TIMED, ...DECIDED } };
  room.emit(RoomEvent.ParticipantConnected, agent);
  room.emit(RoomEvent.ParticipantAttributesChanged, { 'aura.state': 'thinking' }, agent);
  expect(told).toEqual([]);
  room.emit(RoomEvent.ParticipantAttributesChanged, TIMED, { isAgent: false });
  room.emit(RoomEvent.ParticipantAttributesChanged, TIMED, agent);
  room.emit(RoomEvent.ParticipantAttributesChanged, DECIDED, agent);
  room.emit(RoomEvent.ParticipantAttributesChanged, CALLED, agent);
  room.emit(RoomEvent.ParticipantDisconnected, { isAgent: false });
  room.emit(RoomEvent.ParticipantDisconnected, agent);
  expect(told).toEqual(['timed', 'decided', 'tool', 'left']);
  stop();
  room.emit(RoomEvent.ParticipantAttributesChanged, TIMED, agent);
  room.emit(RoomEvent.ParticipantDisconnected, agent);
  expect(told).toEqual(['timed', 'decided', 'tool', 'left']);
});

import { expect, it } from 'vitest';
import { nextPhase, type Phase, type PhaseEvent } from './phase';

const choices = { microphone: true, camera: false, microphoneId: null, cameraId: null };
const place = { room: null, identity: null };
const begin = { type: 'begin', choices, place } as const;
const wait = { full: true, message: 'busy', retryAtMs: 5 };

function visit(...events: PhaseEvent<string>[]): Phase<string> {
  return events.reduce<Phase<string>>(nextPhase, { at: 'start', farewell: null });
}

it('goes from the door into a call and back', () => {
  expect(visit(begin).at).toBe('joining');
  expect(visit(begin, { type: 'joined', call: 'c' })).toEqual({ at: 'call', call: 'c' });
  expect(visit(begin, { type: 'joined', call: 'c' }, { type: 'stopped', farewell: null }).at).toBe('start');
});

it('waits for a free line and tries again with the same choices', () => {
  expect(visit(begin, { type: 'later', wait })).toEqual({ at: 'busy', choices, place, wait });
  expect(visit(begin, { type: 'later', wait }, begin).at).toBe('joining');
});

it('ignores an answer that comes after the person gave up', () => {
  expect(visit(begin, { type: 'stopped', farewell: null }, { type: 'joined', call: 'c' }).at).toBe('start');
  expect(visit({ type: 'later', wait }).at).toBe('start');
});

import { expect, it } from 'vitest';
import { nextPhase, type Phase, type PhaseEvent } from './phase';

const choices = { microphone: true, camera: false, microphoneId: null, cameraId: null };
const place = { room: null, identity: null };
const begin = { type: 'begin', choices, place } as const;
const wait = { full: true, message: 'busy', retryAtMs: 5 };
const here = { room: 'hall', identity: 'p-1' };
const joined = { type: 'joined', call: 'c', place: here } as const;
const later = { type: 'later', wait, farewell: null } as const;
const problem = { code: 'ended', title: 'Gone', advice: 'Wait.' };
const failed = { type: 'failed', problem } as const;

function visit(...events: PhaseEvent<string>[]): Phase<string> {
  return events.reduce<Phase<string>>(nextPhase, { at: 'start', farewell: null });
}

it('goes from the door into a call and back', () => {
  expect(visit(begin).at).toBe('joining');
  expect(visit(begin, joined)).toEqual({ at: 'call', call: 'c', choices, place: here });
  expect(visit(begin, joined, { type: 'stopped', farewell: null }).at).toBe('start');
});

it('waits for a free line and tries again with the same choices', () => {
  expect(visit(begin, later)).toEqual({ at: 'busy', choices, place, wait, farewell: null });
  expect(visit(begin, later, begin).at).toBe('joining');
});

it('keeps what to try again: the place that was asked for, or the call that broke off', () => {
  expect(visit(begin, failed)).toEqual({ at: 'failed', choices, place, problem });
  expect(visit(begin, joined, failed)).toEqual({ at: 'failed', choices, place: here, problem });
  expect(visit(begin, joined, failed, begin).at).toBe('joining');
});

it('begins anew in the middle of a call', () => {
  expect(visit(begin, joined, begin)).toEqual({ at: 'joining', choices, place });
});

it('ignores an answer that comes after the person gave up', () => {
  expect(visit(begin, { type: 'stopped', farewell: null }, joined).at).toBe('start');
  expect(visit(later).at).toBe('start');
  expect(visit(failed).at).toBe('start');
});

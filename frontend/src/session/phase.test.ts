import { expect, it } from 'vitest';
import { DEFAULTS } from '../settings/settings';
import { choicesOf } from './choices';
import { nextPhase, type Phase, type PhaseEvent } from './phase';

const choices = choicesOf(DEFAULTS);
const place = { room: null, identity: null };
const question = { text: 'Tell me a story', aboutPicture: false };
const begin = { type: 'begin', choices, place, question } as const;
const wait = { full: true, message: 'busy', retryAtMs: 5 };
const here = { room: 'hall', identity: 'p-1' };
const joined = { type: 'joined', call: 'c', place: here } as const;
const later = { type: 'later', wait, farewell: null } as const;
const problem = { code: 'ended', title: 'Gone', advice: 'Wait.' };
const failed = { type: 'failed', problem } as const;
const farewell = { place: here, untilMs: 45_000 };
const left = { type: 'ended', endedMs: 9, problem: null, farewell } as const;
const broken = { ...left, problem } as const;
const stopped = { type: 'stopped', farewell: null } as const;

function visit(...events: PhaseEvent<string>[]): Phase<string> {
  return events.reduce<Phase<string>>(nextPhase, { at: 'start', farewell: null });
}

it('goes from the door into a call and back', () => {
  expect(visit(begin).at).toBe('joining');
  expect(visit(begin, joined)).toEqual({ at: 'call', call: 'c', choices, place: here });
  expect(visit(begin, joined, left, stopped).at).toBe('start');
});

it('keeps what remains of a call, whether the person left it or it broke off', () => {
  const after = { at: 'after', call: 'c', choices, place: here, endedMs: 9, farewell };
  expect(visit(begin, joined, left)).toEqual({ ...after, problem: null });
  expect(visit(begin, joined, broken)).toEqual({ ...after, problem });
  expect(visit(begin, joined, broken, begin).at).toBe('joining');
});

it('ends a call once: the room tells it again when it has gone', () => {
  expect(visit(begin, joined, left, { ...broken, endedMs: 70 })).toEqual(visit(begin, joined, left));
  expect(visit(begin, joined, left, stopped, left).at).toBe('start');
});

it('leaves nothing of a call that ended before it began', () => {
  expect(visit(begin, broken)).toEqual({ at: 'failed', choices, place, question, problem });
  expect(visit(begin, left).at).toBe('start');
});

it('waits for a free line and tries again with the same choices', () => {
  expect(visit(begin, later)).toEqual({ at: 'busy', choices, place, question, wait, farewell: null });
  expect(visit(begin, later, begin).at).toBe('joining');
});

it('keeps what to try again: the place that was asked for, and the question', () => {
  expect(visit(begin, failed)).toEqual({ at: 'failed', choices, place, question, problem });
  expect(visit(begin, failed, begin).at).toBe('joining');
});

it('begins anew in the middle of a call', () => {
  expect(visit(begin, joined, begin)).toEqual({ at: 'joining', choices, place, question });
});

it('ignores an answer that comes after the person gave up', () => {
  expect(visit(begin, { type: 'stopped', farewell: null }, joined).at).toBe('start');
  expect(visit(later).at).toBe('start');
  expect(visit(failed).at).toBe('start');
});

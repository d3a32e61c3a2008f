import { DisconnectReason } from 'livekit-client';
import { expect, it } from 'vitest';
import { en } from '../words/en';
import { endProblem, GOODBYE } from './callProblems';
import { type Choices, goingOn } from './choices';
import { deviceProblem } from './problems';
import { RETURN_WITHIN_MS, recall, remember } from './returning';
import { readUrlOptions } from './urlOptions';

it('reads what a link asks for', () => {
  const nothing = { room: null, autostart: false, camera: null, signInFailed: false };
  const asked = { room: 'hall', autostart: true, camera: true };
  expect(readUrlOptions('?room=hall&autostart=1&camera=1')).toEqual({ ...nothing, ...asked });
  expect(readUrlOptions('?room=%20&autostart=0')).toEqual(nothing);
  expect(readUrlOptions('?camera=0').camera).toBe(false);
});

it('returns to the last call while its agent still waits', () => {
  const kept = new Map<string, string>();
  const memory = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  expect(recall(memory, 0)).toBeNull();
  remember(memory, { room: 'hall', identity: 'p-1' }, 1000);
  expect(recall(memory, 1000 + RETURN_WITHIN_MS - 1)).toEqual({
    place: { room: 'hall', identity: 'p-1' },
    leftMs: 1,
  });
  expect(recall(memory, 1000 + RETURN_WITHIN_MS)).toBeNull();
  memory.setItem('aura.last-call', '{');
  expect(recall(memory, 1000)).toBeNull();
});

it('says what to do about each device failure', () => {
  const named = (name: string) => deviceProblem('camera', Object.assign(new Error(), { name })).title;
  expect(named('NotAllowedError')).toBe('The browser does not allow the camera');
  expect(named('NotFoundError')).toBe('No camera was found');
  expect(named('NotReadableError')).toBe('The camera is in use');
  expect(named('AbortError')).toBe('The camera could not be started');
});

it('knows what to tell whoever taps and whoever has keys', () => {
  const { advice, adviceOnTouch } = deviceProblem('microphone', null);
  expect(advice).toContain('press M');
  expect(adviceOnTouch).toContain('tap the microphone');
});

it('complains about every end but the one the person chose', () => {
  expect(endProblem(DisconnectReason.CLIENT_INITIATED, false, false)).toBeNull();
  expect(endProblem(DisconnectReason.DUPLICATE_IDENTITY, false, false)?.title).toBe('The call goes on elsewhere');
  expect(endProblem(undefined, false, false)?.title).toBe('The connection was lost');
});

it('says what happened when the server ends a call whose agent had lost its pipeline', () => {
  const title = (pipelineGone: boolean) => endProblem(DisconnectReason.ROOM_DELETED, pipelineGone, false)?.title;
  expect(title(false)).toBe('The call was ended by the server');
  expect(title(true)).toBe('AURA has broken down');
});

it('finds nothing broken in a call that the agent has ended after its goodbye', () => {
  expect(endProblem(DisconnectReason.ROOM_DELETED, false, true)?.code).toBe(GOODBYE);
  expect(endProblem(undefined, false, true)?.title).toBe('The connection was lost');
});

it('tells nobody to press a key who has a finger only', () => {
  const { deniedAdvice, missingAdvice } = en.problems.device;
  expect(deniedAdvice('microphone', true)).toMatch(/then tap the microphone/);
  expect(missingAdvice('camera', true)).not.toMatch(/press/);
  expect(deniedAdvice('camera', false)).toMatch(/press V/);
});

it('brings into a call that goes on what was switched by hand in it, and nothing that only typing closed', () => {
  const door = { microphone: true, camera: false } as Choices;
  expect(goingOn(door, {}, false)).toEqual(door);
  expect(goingOn(door, { microphone: false, camera: true }, false)).toEqual({ microphone: false, camera: true });
  expect(goingOn({ ...door, microphone: false }, { microphone: true }, false).microphone).toBe(true);
  expect(goingOn(door, { microphone: true }, true).microphone).toBe(false);
});

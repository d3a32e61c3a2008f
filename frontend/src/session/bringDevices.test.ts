import { ConnectionState, type Room } from 'livekit-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bringDevices } from './bringDevices';
import type { Choices } from './choices';
import type { Problem } from './problems';

const track = { stop: vi.fn() };

vi.mock('livekit-client', async (original) => ({
  ...(await original<typeof import('livekit-client')>()),
  createLocalAudioTrack: async () => track,
}));

beforeEach(() => vi.stubGlobal('navigator', { mediaDevices: {} }));
afterEach(() => {
  vi.unstubAllGlobals();
  track.stop.mockClear();
});

const publishing = async (state: ConnectionState, publishTrack: () => Promise<unknown>) => {
  const room = { state, options: {}, localParticipant: { publishTrack } } as unknown as Room;
  const problems: Problem[] = [];
  const choices = { microphone: true, camera: false, holdToTalk: false } as Choices;
  const there = await bringDevices(room, choices, Promise.resolve(), (problem) => problems.push(problem)).microphone;
  return { there, told: problems.map(({ code }) => code) };
};

const fails = () => Promise.reject(new Error('negotiation timed out'));

test('a microphone that opens and cannot be sent is told, and closed', async () => {
  expect(await publishing(ConnectionState.Connected, fails)).toEqual({ there: false, told: ['device-microphone'] });
  expect(track.stop).toHaveBeenCalledOnce();
});

test('of a call that is over nothing is told of devices', async () => {
  expect(await publishing(ConnectionState.Disconnected, fails)).toEqual({ there: false, told: [] });
});

test('a microphone that is sent stays open', async () => {
  expect(await publishing(ConnectionState.Connected, async () => {})).toEqual({ there: true, told: [] });
  expect(track.stop).not.toHaveBeenCalled();
});

import { EventEmitter } from 'node:events';
import { type Room, RoomEvent, Track } from 'livekit-client';
import { expect, it } from 'vitest';
import type { Choices } from './choices';
import { watchDevices } from './devicesLeft';

const DOOR = { microphone: true, camera: false, holdToTalk: false } as Choices;
const ME = { isLocal: true };
const microphone = (isMuted: boolean) => ({ source: Track.Source.Microphone, isMuted });
const camera = (isMuted: boolean) => ({ source: Track.Source.Camera, isMuted });

function call() {
  const room = new EventEmitter();
  return { room, asLeft: watchDevices(room as unknown as Room) };
}

it('goes on muted with who was muted, and with the camera that was switched on', () => {
  const { room, asLeft } = call();
  room.emit(RoomEvent.LocalTrackPublished, microphone(false), ME);
  room.emit(RoomEvent.TrackMuted, microphone(true), ME);
  room.emit(RoomEvent.LocalTrackPublished, camera(false), ME);
  expect(asLeft(DOOR)).toEqual({ ...DOOR, microphone: false, camera: true });
  room.emit(RoomEvent.TrackUnmuted, microphone(false), ME);
  room.emit(RoomEvent.TrackMuted, camera(true), ME);
  expect(asLeft(DOOR)).toEqual({ ...DOOR, microphone: true, camera: false });
});

it('goes by the door where nothing came into the call, and never by what others do', () => {
  const { room, asLeft } = call();
  room.emit(RoomEvent.TrackMuted, microphone(true), { isLocal: false });
  expect(asLeft(DOOR)).toEqual(DOOR);
});

it('takes no microphone away that is closed because nobody holds it', () => {
  const { room, asLeft } = call();
  room.emit(RoomEvent.TrackMuted, microphone(true), ME);
  expect(asLeft({ ...DOOR, holdToTalk: true }).microphone).toBe(true);
});

import { EventEmitter } from 'node:events';
import { type LocalParticipant, ParticipantEvent, Track, TrackEvent } from 'livekit-client';
import { expect, test } from 'vitest';
import { watchLost } from './lostDevices';

const publication = (source: Track.Source) => Object.assign(new EventEmitter(), { source });

function watched(...there: ReturnType<typeof publication>[]) {
  const publications = new Map(there.map((each, at) => [`${at}`, each]));
  const person = Object.assign(new EventEmitter(), { trackPublications: publications });
  const lost: string[] = [];
  const unwatch = watchLost(person as unknown as LocalParticipant, (device) => lost.push(device));
  return { person, lost, unwatch };
}

test('a microphone and a camera that are unplugged in a call are told, whenever they were switched on', () => {
  const microphone = publication(Track.Source.Microphone);
  const camera = publication(Track.Source.Camera);
  const { person, lost } = watched(microphone);
  person.emit(ParticipantEvent.LocalTrackPublished, camera);
  microphone.emit(TrackEvent.Ended);
  camera.emit(TrackEvent.Ended);
  microphone.emit(TrackEvent.Ended); // the next one is unplugged, too
  expect(lost).toEqual(['microphone', 'camera', 'microphone']);
});

test('a screen that is not shared any more is not lost, nor is what was taken out of the call', () => {
  const [screen, camera] = [publication(Track.Source.ScreenShare), publication(Track.Source.Camera)];
  const { person, lost, unwatch } = watched(screen, camera);
  screen.emit(TrackEvent.Ended);
  person.emit(ParticipantEvent.LocalTrackUnpublished, camera);
  camera.emit(TrackEvent.Ended);
  const microphone = publication(Track.Source.Microphone);
  person.emit(ParticipantEvent.LocalTrackPublished, microphone);
  unwatch();
  microphone.emit(TrackEvent.Ended);
  person.emit(ParticipantEvent.LocalTrackPublished, camera);
  camera.emit(TrackEvent.Ended);
  expect(lost).toEqual([]);
});

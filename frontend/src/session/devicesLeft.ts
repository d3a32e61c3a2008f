/** How microphone and camera were left in a call: whoever goes on with it is not heard or seen unasked. */
import { type Participant, type Room, RoomEvent, Track, type TrackPublication } from 'livekit-client';
import type { Choices } from './choices';

/** Watches from now on; returns what of somebody's choices comes into the call that goes on with this one. */
export function watchDevices(room: Room): (choices: Choices) => Choices {
  const on = new Map<Track.Source, boolean>();
  const keep = ({ source, isMuted }: TrackPublication) => void on.set(source, !isMuted);
  const keepOwn = (publication: TrackPublication, participant: Participant) => {
    if (participant.isLocal) keep(publication);
  };
  room.on(RoomEvent.LocalTrackPublished, keep);
  room.on(RoomEvent.TrackMuted, keepOwn);
  room.on(RoomEvent.TrackUnmuted, keepOwn);
  return (choices) => ({
    ...choices,
    // One that is held to talk is closed between the words, and comes closed.
    microphone: (choices.holdToTalk ? null : on.get(Track.Source.Microphone)) ?? choices.microphone,
    camera: on.get(Track.Source.Camera) ?? choices.camera,
  });
}

/** Which devices a call loses: unplugged, or taken away by the system or the browser. */
import { type LocalParticipant, type LocalTrackPublication, ParticipantEvent, Track, TrackEvent } from 'livekit-client';

type Lost = 'microphone' | 'camera';

const DEVICES: Partial<Record<Track.Source, Lost>> = {
  [Track.Source.Microphone]: 'microphone',
  [Track.Source.Camera]: 'camera',
};

/** livekit-client then takes another device of the kind, or mutes the track where there is none; and tells nobody. */
export function watchLost(person: LocalParticipant, lost: (device: Lost) => void): () => void {
  const watched = new Map<LocalTrackPublication, () => void>();
  const watch = (publication: LocalTrackPublication) => {
    const device = DEVICES[publication.source];
    if (!device || watched.has(publication)) return;
    const ended = () => lost(device);
    publication.on(TrackEvent.Ended, ended);
    watched.set(publication, () => publication.off(TrackEvent.Ended, ended));
  };
  const leave = (publication: LocalTrackPublication) => {
    watched.get(publication)?.();
    watched.delete(publication);
  };
  for (const publication of person.trackPublications.values()) watch(publication as LocalTrackPublication);
  person.on(ParticipantEvent.LocalTrackPublished, watch);
  person.on(ParticipantEvent.LocalTrackUnpublished, leave);
  return () => {
    person.off(ParticipantEvent.LocalTrackPublished, watch);
    person.off(ParticipantEvent.LocalTrackUnpublished, leave);
    for (const publication of [...watched.keys()]) leave(publication);
  };
}

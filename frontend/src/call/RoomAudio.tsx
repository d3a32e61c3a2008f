/** Plays everybody else in the room; the agent's element can be found by its test id. */
import { AudioTrack, useTracks } from '@livekit/components-react';
import { Track } from 'livekit-client';

const SOURCES = [Track.Source.Microphone, Track.Source.ScreenShareAudio, Track.Source.Unknown];

export function RoomAudio() {
  const tracks = useTracks(SOURCES, { onlySubscribed: true }).filter(
    ({ participant, publication }) => !participant.isLocal && publication.kind === Track.Kind.Audio,
  );
  return (
    <div hidden>
      {tracks.map((trackRef) => (
        <AudioTrack
          key={trackRef.publication.trackSid}
          trackRef={trackRef}
          data-testid={trackRef.participant.isAgent ? 'agent-audio' : 'guest-audio'}
        />
      ))}
    </div>
  );
}

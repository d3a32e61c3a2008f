/** The agent tells of each picture of the person that it takes: an empty packet, two a second at most. */
import { type Participant, type Room, RoomEvent } from 'livekit-client';

const TOPIC = 'aura.frame';

/** Calls `taken` for each; returns what ends that. */
export function onFrameTaken(room: Room, taken: () => void): () => void {
  const came = (_: Uint8Array, from?: Participant, __?: unknown, topic?: string) => {
    if (topic === TOPIC && from?.isAgent) taken();
  };
  room.on(RoomEvent.DataReceived, came);
  return () => void room.off(RoomEvent.DataReceived, came);
}

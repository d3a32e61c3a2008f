/** Reads LiveKit's transcription text streams of a room and tells them as conversation events. */
import type { Room, TextStreamReader } from 'livekit-client';
import { readSpokenLanguage } from '../agent/persona';
import type { ConversationEvent, Side } from './conversation';

const TOPIC = 'lk.transcription';
const SEGMENT = 'lk.segment_id';
const FINAL = 'lk.transcription_final';

type Dispatch = (event: ConversationEvent) => void;

/** Must be called before the room connects: streams without a reader are dropped. Returns the way to stop. */
export function listenToCaptions(room: Room, dispatch: Dispatch): () => void {
  room.registerTextStreamHandler(TOPIC, (reader, sender) => {
    const side: Side = sender.identity === room.localParticipant.identity ? 'user' : 'agent';
    void read(reader, side, spokenIn(room), dispatch);
  });
  return () => room.unregisterTextStreamHandler(TOPIC);
}

/**
 * The agent's words come as one growing stream a segment, whose end says "final"; the person's as one short stream
 * for each newer hypothesis of a segment. A stream breaks when its sender leaves in the middle of it.
 */
async function read(reader: TextStreamReader, side: Side, lang: string | undefined, dispatch: Dispatch): Promise<void> {
  const attribute = (name: string): string | undefined => reader.info.attributes?.[name];
  const key = attribute(SEGMENT) ?? reader.info.id;
  let text = '';
  try {
    for await (const piece of reader) {
      text += piece;
      const final = attribute(FINAL) === 'true';
      dispatch({ type: 'text', key, side, text, final, lang, nowMs: performance.now() });
    }
    if (attribute(FINAL) !== 'false') dispatch({ type: 'closed', key, nowMs: performance.now() });
  } catch {
    dispatch({ type: 'lost', key, nowMs: performance.now() });
  }
}

/** The language that was chosen for the call; undefined: it is told from what is heard, each time anew. */
function spokenIn(room: Room): string | undefined {
  const agent = [...room.remoteParticipants.values()].find(({ isAgent }) => isAgent);
  return agent ? readSpokenLanguage(agent.attributes) : undefined;
}

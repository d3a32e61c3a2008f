/** Shows the agent a picture: its bytes as a stream, then a call that names it and says what is asked. */
import type { Room } from 'livekit-client';

const PICTURE = 'aura.picture';
/** The agent waits ten seconds for the bytes, and may have to make the picture smaller. Milliseconds. */
const ANSWERED_MS = 15_000;

/**
 * @param text what is asked about it; empty: the next question is.
 * @returns the id of the stream.
 * @throws RpcError with the agent's own words, when it does not take the picture.
 */
export async function sendPicture(room: Room, agent: string, jpeg: Blob, text: string): Promise<string> {
  const bytes = new Uint8Array(await jpeg.arrayBuffer());
  const writer = await room.localParticipant.streamBytes({
    topic: PICTURE,
    name: 'picture.jpg',
    mimeType: 'image/jpeg',
    totalSize: bytes.byteLength,
    destinationIdentities: [agent],
  });
  await writer.write(bytes);
  await writer.close();
  await room.localParticipant.performRpc({
    destinationIdentity: agent,
    method: PICTURE,
    payload: JSON.stringify({ stream: writer.info.id, text }),
    responseTimeout: ANSWERED_MS,
  });
  return writer.info.id;
}

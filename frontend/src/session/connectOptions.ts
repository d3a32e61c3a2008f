/** How the room is joined. */
import type { RoomConnectOptions } from 'livekit-client';
import { isLoopback } from '../about/about';

/**
 * LiveKit's server names STUN servers on the internet unless it is told of others, and a browser asks them where it is.
 * To reach its own machine it need not ask anybody.
 */
export function connectOptions(serverUrl: string): RoomConnectOptions {
  return isLoopback(new URL(serverUrl).hostname) ? { rtcConfig: { iceServers: [] } } : {};
}

/** Whether a call has ended: the browser may ask for a device longer than it lasts. */
import { ConnectionState, type Room } from 'livekit-client';

export const isOver = (room: Room): boolean => room.state === ConnectionState.Disconnected;

/** Counts the pictures of the person that the agent has taken, as it tells of each. */
import { useRoomContext } from '@livekit/components-react';
import { useEffect, useState } from 'react';
import { onFrameTaken } from './frameTaken';

export function useFramesTaken(): number {
  const room = useRoomContext();
  const [taken, setTaken] = useState(0);
  useEffect(() => onFrameTaken(room, () => setTaken((count) => count + 1)), [room]);
  return taken;
}

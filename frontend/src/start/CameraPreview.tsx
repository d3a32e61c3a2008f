/** What the camera will show; fetched when one is switched on. */
import { useEffect, useRef } from 'react';
import { words } from '../words/words';
import { useCapture } from './useCapture';

export default function CameraPreview({
  deviceId,
  failed,
}: {
  deviceId: string | null;
  failed: (error: unknown) => void;
}) {
  const stream = useCapture('video', deviceId, failed);
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.srcObject = stream;
  }, [stream]);
  return (
    <div className="preview" data-live={stream !== null}>
      <video ref={video} autoPlay muted playsInline aria-label={words.door.yourCamera} />
    </div>
  );
}

/** Opens a camera or microphone for a look before the call, and closes it afterwards. */
import { useEffect, useState } from 'react';

export function useCapture(
  kind: 'audio' | 'video',
  deviceId: string | null,
  failed: (error: unknown) => void,
): MediaStream | null {
  const [stream, setStream] = useState<MediaStream | null>(null);
  useEffect(() => {
    let opened: MediaStream | null = null;
    let gone = false;
    const open = async () => {
      try {
        const device = deviceId ? { deviceId: { exact: deviceId } } : true;
        opened = await navigator.mediaDevices.getUserMedia({ [kind]: device });
        if (gone) stop(opened);
        else setStream(opened);
      } catch (error) {
        if (!gone) failed(error);
      }
    };
    void open();
    return () => {
      gone = true;
      if (opened) stop(opened);
      setStream(null);
    };
  }, [kind, deviceId, failed]);
  return stream;
}

function stop(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

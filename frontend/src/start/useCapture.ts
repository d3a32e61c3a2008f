/** Opens a camera or microphone for a look before the call, again if it ends by itself, and closes it afterwards. */
import { useEffect, useState } from 'react';

export function useCapture(
  kind: 'audio' | 'video',
  deviceId: string | null,
  failed: (error: unknown) => void,
): MediaStream | null {
  const [stream, setStream] = useState<MediaStream | null>(null);
  const [ends, setEnds] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one that was unplugged is opened anew, or its lack is told
  useEffect(() => {
    let opened: MediaStream | null = null;
    let gone = false;
    const ended = () => !gone && setEnds((count) => count + 1);
    const open = async () => {
      try {
        const device = deviceId ? { deviceId: { exact: deviceId } } : true;
        opened = await navigator.mediaDevices.getUserMedia({ [kind]: device });
        if (gone) return stop(opened);
        setStream(opened);
        for (const track of opened.getTracks()) track.addEventListener('ended', ended);
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
  }, [kind, deviceId, failed, ends]);
  return stream;
}

function stop(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

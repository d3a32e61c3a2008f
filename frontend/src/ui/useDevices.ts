/** The devices of one kind, as far as the browser names them; asks for no permission. */
import { useEffect, useState } from 'react';

export function useDevices(kind: MediaDeviceKind): readonly MediaDeviceInfo[] {
  const [devices, setDevices] = useState<readonly MediaDeviceInfo[]>([]);
  useEffect(() => {
    const media = navigator.mediaDevices;
    if (!media) return;
    let gone = false;
    const list = async () => {
      const all = await media.enumerateDevices().catch(() => []);
      if (!gone) setDevices(all.filter((device) => device.kind === kind && device.deviceId));
    };
    void list();
    // Names appear once a permission was given, which no event tells: a gesture is a good moment to look again.
    media.addEventListener('devicechange', list);
    window.addEventListener('pointerover', list, { once: true });
    const again = setTimeout(list, 2_500);
    return () => {
      gone = true;
      clearTimeout(again);
      media.removeEventListener('devicechange', list);
      window.removeEventListener('pointerover', list);
    };
  }, [kind]);
  return devices;
}

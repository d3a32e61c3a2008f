/** Whether the browser was told never to give this page a microphone or a camera: it will not ask again. */
import { useEffect, useState } from 'react';

export function useDenied(name: 'microphone' | 'camera'): boolean {
  const [denied, setDenied] = useState(false);
  useEffect(() => {
    let status: PermissionStatus | null = null;
    let gone = false;
    const look = () => setDenied(status?.state === 'denied');
    // Not every browser knows these names; then a refusal shows when the device is tried.
    navigator.permissions
      ?.query({ name: name as PermissionName })
      .then((found) => {
        if (gone) return;
        status = found;
        status.addEventListener('change', look);
        look();
      })
      .catch(() => {});
    return () => {
      gone = true;
      status?.removeEventListener('change', look);
    };
  }, [name]);
  return denied;
}

/** Keeps the page that holds this one told whether a call is on, and when Escape was pressed. */
import { useEffect } from 'react';
import { tellHost } from './tellHost';

/** @param inCall whether a call is on: what holds the page then keeps it when it is closed. */
export function useHost(inCall: boolean): void {
  useEffect(() => {
    if (window.parent === window) return;
    tellHost({ aura: 'call', on: inCall });
    if (inCall) return; // there Escape asks whether to leave
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]')) {
        tellHost({ aura: 'escape' });
      }
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [inCall]);
}

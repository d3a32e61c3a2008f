/** What the page tells the page of somebody else that holds it in a frame; see `src/launcher/`. */
import { useEffect } from 'react';

export type ToHost = { readonly aura: 'call'; readonly on: boolean } | { readonly aura: 'escape' };

/** @param inCall whether a call is on: what holds the page then keeps it when it is closed. */
export function useHost(inCall: boolean): void {
  useEffect(() => {
    if (window.parent === window) return;
    tell({ aura: 'call', on: inCall });
    if (inCall) return; // there Escape asks whether to leave
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]')) {
        tell({ aura: 'escape' });
      }
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [inCall]);
}

/** To whoever it is: the server has decided who may hold the page, and nothing in it is secret. */
function tell(message: ToHost): void {
  window.parent.postMessage(message, '*');
}

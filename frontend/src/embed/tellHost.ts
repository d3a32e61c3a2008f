/** What the page tells the page of somebody else that holds it in a frame; see `src/launcher/`. */
export type ToHost = { readonly aura: 'here' | 'escape' } | { readonly aura: 'call'; readonly on: boolean };

/** To whoever it is: the server has decided who may hold the page, and nothing in it is secret. */
export function tellHost(message: ToHost): void {
  window.parent.postMessage(message, '*');
}

/** Whether another page holds this one, as early as it can be said. */
import { tellHost } from './tellHost';

/** Marks the document, and tells the page that holds it that it may: where it may not, nothing of this runs. */
export function markFramed(): void {
  if (window.parent === window) return;
  document.documentElement.dataset.framed = '';
  tellHost({ aura: 'here' });
}

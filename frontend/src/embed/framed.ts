/** Marks the document if another page holds it. */
export function markFramed(): void {
  if (window.parent !== window) document.documentElement.dataset.framed = '';
}

/** Gives the person a file to keep. */

/** Safari fetches it after the click, and on a phone asks the person before: https://bugs.webkit.org/show_bug.cgi?id=211234 */
const FETCHED_MS = 40_000;

export function saveFile(name: string, text: string, type: 'application/json' | 'text/plain'): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function saveBlob(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), FETCHED_MS);
}

/** The two fonts of the first screen, fetched as soon as the page's script is on its way and not in its way. */
import sans from '@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2?url';
import serif from '@fontsource-variable/newsreader/files/newsreader-latin-wght-normal.woff2?url';

/** Nothing waits for them: words stand in the system's letters until they are there. */
export function fetchFirstFonts(): void {
  for (const href of [serif, sans]) {
    const link = document.createElement('link');
    Object.assign(link, { rel: 'preload', as: 'font', type: 'font/woff2', crossOrigin: 'anonymous', href });
    document.head.append(link);
  }
}

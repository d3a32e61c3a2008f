/** Lets the browser fetch the two fonts of the first screen before it has read the styles that name them. */
import type { Plugin } from 'vite';

/** Of what is first shown: upright, in Latin letters. */
const FIRST = [/newsreader-latin-wght-normal.*\.woff2$/, /instrument-sans-latin-wght-normal.*\.woff2$/];

export function preloadFonts(): Plugin {
  return {
    name: 'aura-preload-fonts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {} }) {
        const files = Object.keys(bundle);
        return FIRST.map((font) => {
          const file = files.find((name) => font.test(name));
          if (!file) throw new Error(`no file of this build is the font ${font}`);
          const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: true };
          return { tag: 'link', attrs, injectTo: 'head' as const };
        });
      },
    },
  };
}

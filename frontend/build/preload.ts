/** Names the page's script in its head: so it comes beside the one that asks for it, and not after it. */
import type { Plugin } from 'vite';

const PAGE = /[\\/]src[\\/]page\.tsx$/;

export function preload(): Plugin {
  return {
    name: 'aura-preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {} }) {
        const files = Object.values(bundle);
        const page = files.find((file) => file.type === 'chunk' && file.moduleIds.some((id) => PAGE.test(id)));
        if (!page) throw new Error(`no script of this build has ${PAGE}`);
        const attrs = { rel: 'modulepreload', href: `/${page.fileName}`, crossorigin: true };
        return [{ tag: 'link', attrs, injectTo: 'head' as const }];
      },
    },
  };
}

/** Writes `.br` and `.gz` beside the files of a build: the web server sends them to browsers that can read them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Fonts and pictures are compressed already. */
const TEXT = new Set(['.css', '.html', '.js', '.json', '.svg', '.webmanifest']);
/** A smaller file fits into one packet as it is. */
const WORTH_IT_BYTES = 1_000;

export function compress(): Plugin {
  let folder = '';
  return {
    name: 'aura-compress',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    writeBundle() {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (entry.isFile() && TEXT.has(extname(entry.name))) compressFile(join(entry.parentPath, entry.name));
      }
    },
  };
}

function compressFile(path: string): void {
  const content = readFileSync(path);
  if (content.length < WORTH_IT_BYTES) return;
  const size = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params: size }));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}

/** How the page is built, and where `npm run dev` finds the token endpoint. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The address of a running installation, from the run.json that `infra/up` writes. */
function runningUrl(): string | undefined {
  const home = process.env.AURA_HOME ?? join(import.meta.dirname, '..', '.aura');
  const file = join(home, 'run.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).url as string) : undefined;
}

export default defineConfig(({ command }) => {
  const url = command === 'serve' ? runningUrl() : undefined;
  return {
    plugins: [react()],
    build: {
      target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
      chunkSizeWarningLimit: 1200,
    },
    server: url ? { proxy: { '/api': { target: url } } } : {},
  };
});

/** How the page is built, and where `npm run dev` finds the token endpoint. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type UserConfig } from 'vite';
import { compress } from './build/compress.ts';
import { preload } from './build/preload.ts';
import { wordTables } from './build/wordTables.ts';

/** The address of a running installation, from the run.json that `infra/up` writes. */
function runningUrl(): string | undefined {
  const home = process.env.AURA_HOME ?? join(import.meta.dirname, '..', '.aura');
  const file = join(home, 'run.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).url as string) : undefined;
}

const TARGET = ['chrome123', 'edge123', 'firefox120', 'safari17.5'];

/** `--mode launcher`, which comes first and empties the folder: the one script for pages of others. */
const LAUNCHER: UserConfig = {
  build: {
    target: TARGET,
    copyPublicDir: false,
    lib: { entry: 'src/launcher/main.ts', formats: ['iife'], name: 'aura', fileName: () => 'aura.js' },
  },
};

/** `--mode replay`: the page on which a record is played, by itself, so that it costs the first screen nothing. */
const REPLAY: UserConfig = {
  plugins: [react()],
  build: {
    target: TARGET,
    emptyOutDir: false,
    copyPublicDir: false,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: 'replay.html' },
  },
};

/** In as few files as can come side by side: small ones compress badly, and each costs a slow network a request. */
const FIRST_SCREEN = {
  groups: [
    { name: 'begin', test: /src[\\/]main\.ts$|rolldown[\\/]runtime/, priority: 2 },
    { name: 'page', test: /src[\\/]page\.tsx$/, priority: 1 },
    { name: 'english', test: /words[\\/]en[\\/]first\.ts$/ },
    { name: 'deutsch', test: /words[\\/]de[\\/]first\.ts$/ },
  ],
};

export default defineConfig(({ command, mode }) => {
  if (mode === 'launcher') return LAUNCHER;
  if (mode === 'replay') return REPLAY;
  const url = command === 'serve' ? runningUrl() : undefined;
  return {
    plugins: [react(), preload(), wordTables(), compress()],
    build: {
      target: TARGET,
      emptyOutDir: false,
      chunkSizeWarningLimit: 1200,
      modulePreload: { polyfill: false },
      rolldownOptions: { output: { codeSplitting: FIRST_SCREEN } },
    },
    server: url ? { proxy: { '/api': { target: url } } } : {},
  };
});

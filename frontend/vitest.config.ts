/** How the page's pure parts are tested. */
import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { setupFiles: ['./build/allWords.ts'] } });

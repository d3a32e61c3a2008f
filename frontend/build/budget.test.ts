// @vitest-environment node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { beforeAll, expect, it, vi } from 'vitest';
import { first } from '../src/words/en/first';
import type { Language } from '../src/words/words';

type Output = Rolldown.RolldownOutput['output'];

/** In every language. */
const BEFORE_THE_BUTTON_BYTES = 90_000;
const BUILD_MS = 60_000; // on a machine that has other work

let files: Output;

beforeAll(async () => {
  vi.stubEnv('NODE_ENV', 'production');
  const root = join(import.meta.dirname, '..');
  files = ((await build({ root, logLevel: 'error', build: { write: false } })) as Rolldown.RolldownOutput).output;
}, BUILD_MS);

/** The scripts that a browser loads for the first screen: those of its page, and the words of one language. */
function firstScripts(language: Language = 'en'): Rolldown.OutputChunk[] {
  const chunks = new Map(files.filter((file) => file.type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
  const html = firstPage();
  const isWords = ({ moduleIds }: Rolldown.OutputChunk) => moduleIds.some((id) => id.endsWith(`/${language}/first.ts`));
  const wanted = new Set([...chunks.values()].filter((chunk) => html.includes(chunk.fileName) || isWords(chunk)));
  for (const chunk of wanted) for (const name of chunk.imports) wanted.add(chunks.get(name) ?? chunk);
  return [...wanted];
}

function firstPage(): string {
  const page = files.find(({ fileName }) => fileName === 'index.html');
  return String(page && 'source' in page ? page.source : '');
}

it.each(['en', 'de'] as const)('loads little before the button, compressed, in the language %s', (language) => {
  const html = firstPage();
  const styles = files
    .filter(({ fileName }) => fileName.endsWith('.css') && html.includes(fileName))
    .map((file) => 'source' in file && file.source);
  expect(styles).toHaveLength(1);
  const parts = [...firstScripts(language).map(({ code }) => code), ...styles, html];
  const bytes = parts.reduce((sum, part) => sum + gzipSync(part || '', { level: 9 }).length, 0); // as `compress` does
  expect(bytes).toBeGreaterThan(80_000); // else something was not counted
  console.info(`${bytes} bytes before the button, ${language}`);
  expect(bytes).toBeLessThan(BEFORE_THE_BUTTON_BYTES);
});

it('brings no more German before the button than the first screen shows', () => {
  const words = firstScripts('de').flatMap(({ moduleIds }) => moduleIds.filter((id) => /words[\\/]de[\\/]/.test(id)));
  const parts = words.map((id) => id.replace(/.*[\\/]|\.ts$/g, ''));
  expect(new Set(parts)).toEqual(new Set(['first', ...Object.keys(first)]));
});

it('keeps the library of calls out of the first screen', () => {
  const modules = firstScripts().flatMap(({ moduleIds }) => moduleIds);
  expect(modules.filter((id) => /node_modules.(livekit-client|@livekit)/.test(id))).toEqual([]);
});

it('draws the first screen with the words that come with it', () => {
  const sources = firstScripts()
    .flatMap(({ moduleIds }) => moduleIds)
    .filter((id) => /src[\\/].*\.tsx?$/.test(id) && !/src[\\/]words[\\/]/.test(id))
    .map((id) => readFileSync(id, 'utf8'));
  const read = sources.flatMap((source) => [...source.matchAll(/\bwords\.(\w+)/g)].map(([, part]) => part));
  expect(new Set(Object.keys(first))).toEqual(new Set(read));
});

it('names its scripts in the page itself, and the fonts in the small one that comes first', () => {
  const named = [...firstPage().matchAll(/<(?:script type="module"|link rel="modulepreload")[^>]*?"\/(assets[^"]+)"/g)];
  const scripts = firstScripts().filter(({ moduleIds }) => !moduleIds.some((id) => id.endsWith('/en/first.ts')));
  expect(new Set(named.map(([, name]) => name))).toEqual(new Set(scripts.map(({ fileName }) => fileName)));
  const begin = scripts.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith('/src/main.ts')));
  expect(begin?.code.match(/latin-wght-normal-[\w-]+\.woff2/g)).toHaveLength(2);
  expect(begin?.code.length).toBeLessThan(20_000);
});

it('fetches the words of one language alone', () => {
  for (const [read, other] of [['en', 'de'] as const, ['de', 'en'] as const]) {
    const ids = firstScripts(read).flatMap(({ moduleIds }) => moduleIds);
    expect(ids.filter((id) => id.includes(`/words/${other}/`))).toEqual([]);
  }
});

it(
  'plays records on a page of its own, without the library of calls',
  async () => {
    const root = join(import.meta.dirname, '..');
    const replay = build({ root, mode: 'replay', logLevel: 'error', build: { write: false } });
    const { output } = (await replay) as Rolldown.RolldownOutput;
    const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    expect(output.some(({ fileName }) => fileName === 'replay.html')).toBe(true);
    expect(modules.some((id) => id.endsWith('/replay/ReplayPage.tsx'))).toBe(true);
    expect(modules.filter((id) => /node_modules.(livekit-client|@livekit)/.test(id))).toEqual([]);
    expect(firstScripts().flatMap(({ moduleIds }) => moduleIds.filter((id) => id.includes('/replay/')))).toEqual([]);
  },
  BUILD_MS,
);

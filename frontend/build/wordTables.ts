/** Writes `words.json`: the texts without figures of every language, which a brand may replace. */
import { join } from 'node:path';
import { type Plugin, runnerImport } from 'vite';

const LANGUAGES = ['en', 'de'];
const WORDS = join(import.meta.dirname, '..', 'src', 'words');

export function wordTables(): Plugin {
  return {
    name: 'aura-word-tables',
    apply: 'build',
    async generateBundle() {
      const tables = await Promise.all(LANGUAGES.map(async (language) => [language, await tableOf(language)]));
      this.emitFile({ type: 'asset', fileName: 'words.json', source: JSON.stringify(Object.fromEntries(tables)) });
    },
  };
}

async function tableOf(language: string): Promise<Record<string, string>> {
  const { module } = await runnerImport<Record<string, object>>(join(WORDS, language, 'index.ts'));
  return texts(module[language] ?? {});
}

/** By key, such as `door.start`. */
function texts(table: object, prefix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [key, value] of Object.entries(table)) {
    if (typeof value === 'string') found[prefix + key] = value;
    else if (typeof value === 'object') Object.assign(found, texts(value, `${prefix}${key}.`));
  }
  return found;
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { de } from './de';
import { first as firstDe } from './de/first';
import { en } from './en';
import { first } from './en/first';
import { callAgent, languageOf, words } from './words';

const SOURCES = join(import.meta.dirname, '..');
const SPOKEN =
  /(?<![-\w])(?:aria-[a-z]*(?:label|description|text)|title|placeholder|alt)=(?:"[^"]*\p{L}|\{[^}]*['"]\p{L}|\{`(?:\$\{[^}]*\}|[^`$\p{L}])*\p{L})/u;
/** Letters between a tag, or a value, and the next one. */
const DRAWN = /(?:(?<![=\s])|^\s*)>([^<>{}=;&()]*\p{L}[^<>{}=;&]*)[<{]/mu;
const SENTENCE = /(?<!new \w*Error\()(['`])(?:\p{Lu}[\p{L}’]*|\s?\(?\p{Ll}+) \p{L}[^'`\n]*\1/u;

/** What names no key, and a person would see or hear of a source that is written into it. */
function literals(path: string): string[] {
  const code = readFileSync(path, 'utf8').replace(
    /\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import [\s\S]*?;$|^\} from .*$|<dt>\S{1,3}<\/dt>/gm,
    '',
  );
  const rules = path.endsWith('.tsx') ? [SPOKEN, DRAWN, SENTENCE] : [SENTENCE];
  return rules.flatMap((rule) => code.match(rule)?.[0] ?? []);
}

function keysOf(table: object, prefix = ''): string[] {
  return Object.entries(table).flatMap(([key, value]) =>
    typeof value === 'object' ? keysOf(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

afterEach(() => vi.unstubAllGlobals());

/** Keys of which a language may have more: what the server and the agent themselves say in English. */
const OPEN = /^(agent\.reasons|agent\.refusals|problems\.refusals|trouble\.complaints)\./;

/** German's words are fetched, and come when what is returned is called. */
function germanOnItsWay(): () => void {
  let arrive = () => {};
  const way = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  vi.doMock('./de/first', () => way.then(() => ({ first: firstDe })));
  return () => arrive();
}

describe('languageOf', () => {
  it('takes the first wish that the page has, whatever its region', () => {
    expect(languageOf(['de-AT', 'en'])).toBe('de');
    expect(languageOf([null, 'fr-FR', 'de'])).toBe('de');
  });

  it('is English where no wish can be met', () => {
    expect(languageOf([null, 'fr'])).toBe('en');
    expect(languageOf([])).toBe('en');
  });
});

describe('words', () => {
  it('are those of the first screen until a call is fetched, and then all, in each language', async () => {
    vi.resetModules();
    vi.stubGlobal('document', { documentElement: {} });
    vi.stubGlobal('navigator', { languages: [] });
    const page = await import('./words');
    await page.openLanguage('?lang=de');
    expect([page.words.door.start, page.words.call]).toEqual([de.door.start, undefined]);
    await page.bringAllWords();
    expect(page.words.call.leave).toBe(de.call.leave);
    await page.chooseLanguage('en');
    expect([page.words.door.start, page.words.call.leave]).toEqual([en.door.start, en.call.leave]);
  });

  it('are whole, too, where a call is fetched while another language comes', async () => {
    vi.resetModules();
    vi.stubGlobal('document', { documentElement: {} });
    vi.stubGlobal('navigator', { languages: [] });
    const arrive = germanOnItsWay();
    const page = await import('./words');
    const shown = page.openLanguage('?lang=de');
    await page.bringAllWords();
    arrive();
    await shown;
    vi.doUnmock('./de/first');
    expect([page.language, page.words.call.leave]).toEqual(['de', de.call.leave]);
  });

  it('are those of the language that was chosen last, whichever comes last', async () => {
    vi.resetModules();
    vi.stubGlobal('document', { documentElement: {} });
    vi.stubGlobal('navigator', { languages: [] });
    const arrive = germanOnItsWay();
    const page = await import('./words');
    await page.openLanguage('');
    const slow = page.chooseLanguage('de');
    await page.chooseLanguage('en');
    arrive();
    await slow;
    vi.doUnmock('./de/first');
    expect([page.language, page.words.door.start]).toEqual(['en', en.door.start]);
  });
});

describe('likedLanguages', () => {
  it('begins with the language that was chosen for the page, by hand or by a link, and with none that was not', async () => {
    vi.resetModules();
    vi.stubGlobal('document', { documentElement: {} });
    vi.stubGlobal('navigator', { languages: ['fr-FR', 'en'] });
    const page = await import('./words');
    await page.openLanguage('');
    expect([page.language, page.likedLanguages()]).toEqual(['en', ['fr-FR', 'en']]);
    await page.openLanguage('?lang=de');
    expect(page.likedLanguages()).toEqual(['de', 'fr-FR', 'en']);
    await page.chooseLanguage('en');
    expect(page.likedLanguages()).toEqual(['en', 'fr-FR', 'en']);
    await page.chooseLanguage('de');
    await page.openLanguage('?lang=qq');
    expect([page.language, page.likedLanguages()]).toEqual(['de', ['de', 'fr-FR', 'en']]);
  });
});

describe('the tables', () => {
  it('count one turn as one', () => {
    expect([en.after.turns(1), en.after.turns(2), en.after.turns(0)]).toEqual(['turn', 'turns', 'turns']);
    expect(de.after.turns(1)).toBe(de.after.turns(2));
  });

  it('have the same keys in every language', () => {
    const closed = (table: object) => keysOf(table).filter((key) => !OPEN.test(key));
    expect(closed(de)).toEqual(closed(en));
    expect(closed(firstDe)).toEqual(closed(first));
  });

  it('are all fitted to names and brand', () => {
    callAgent('Nova');
    expect([words.call.typeTo, words.sheet.textOnlyOff]).toEqual(['Type to Nova', 'Nova answers aloud.']);
    callAgent('Aura');
    expect([words.call.typeTo, words.sheet.textOnlyOff]).toEqual([en.call.typeTo, en.sheet.textOnlyOff]);
  });

  it('leave no word in a component', () => {
    const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.|^words\//.test(name))
      .map((name) => [name, literals(join(SOURCES, name))]);
    expect(sources.length).toBeGreaterThan(60);
    expect(sources.filter(([, found]) => found?.length)).toEqual([]);
  });
});

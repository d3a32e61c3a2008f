import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SHEETS = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.css'));
const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');

/** The selectors and declarations of each rule, whatever media it is for. */
function rulesOf(css: string): readonly (readonly [string, string])[] {
  return [...css.matchAll(/([^{};]+)\{([^{}]*)\}/g)].map(([, selectors = '', body = '']) => [selectors.trim(), body]);
}

it('shows captions in the size that was set on the smallest screen, too', () => {
  const sizes = rulesOf(read('captions.css'))
    .filter(([selectors, body]) => /\.said(\[[^\]]*\])?$/.test(selectors) && /font(-size)?:/.test(body))
    .map(([selectors, body]) => `${selectors} ${body.match(/font(?:-size)?:[^;]*/)?.[0]}`);
  expect(sizes.length).toBeGreaterThan(3);
  expect(sizes.filter((size) => !size.includes('--caption-scale'))).toEqual([]);
});

it('tells by more than a background what is chosen: high contrast paints none', () => {
  const sheets = SHEETS.map(read).join('\n');
  const chosen = rulesOf(sheets).flatMap(([selectors, body]) =>
    /background: var\(--primary\)/.test(body) ? selectors.split(/,\s*/).filter((each) => /="true"\]/.test(each)) : [],
  );
  const forced = [...sheets.matchAll(/@media \(forced-colors: active\) \{([\s\S]*?)\n\}/g)].map(([, css = '']) => css);
  const edged = forced.flatMap(rulesOf).flatMap(([selectors]) => selectors.split(/,\s*/));
  expect(chosen.length).toBeGreaterThan(2);
  expect(chosen.filter((each) => !edged.includes(each))).toEqual([]);
});

it('breaks a word that is longer than its line, wherever it stands', () => {
  const [, body = ''] = rulesOf(read('base.css')).find(([selectors]) => selectors === 'body') ?? [];
  expect(body).toContain('overflow-wrap: break-word');
});

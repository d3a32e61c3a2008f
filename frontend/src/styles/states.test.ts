import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

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

import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { ToolReport } from '../agent/attributes';
import { indented, ToolCalls } from './ToolCalls';

const LOOK: ToolReport = {
  callId: 'a',
  name: 'get_weather',
  given: '{"city":"Bern"}',
  state: 'done',
  ms: 2_300,
  result: 'sunny',
};

function drawn(...tools: readonly ToolReport[]): string {
  return renderToStaticMarkup(<ToolCalls tools={tools} />);
}

it('shows nothing while no tool was used', () => {
  expect(drawn()).toBe('');
});

it('shows how long a call took, and folds what it was given and returned', () => {
  const html = drawn(LOOK);
  expect(html).toMatch(/<details><summary><code>get_weather<\/code> <span>done<\/span><span class="total">2\.3 s</);
  const folded = html.slice(html.indexOf('</summary>'));
  expect(folded).toContain('&quot;city&quot;: &quot;Bern&quot;');
  expect(folded).toContain('<dd>sunny</dd>');
  expect(html).not.toContain('<details open');
});

it('says that a call runs, and that it has no result yet', () => {
  const html = drawn({ ...LOOK, state: 'running', ms: 0, result: '' });
  expect(html).toContain('data-state="running"');
  expect(html).toContain('for 0 s');
  expect(html).toContain('not yet');
});

it('puts the newest call first, and no more than can be read', () => {
  const many = Array.from({ length: 30 }, (_, at) => ({ ...LOOK, callId: `${at}`, name: `tool${at}` }));
  const names = [...drawn(...many).matchAll(/data-name="tool(\d+)"/g)].map(([, at]) => Number(at));
  expect([names.length, names[0], names.at(-1)]).toEqual([20, 29, 10]);
});

it.each([
  ['{"a":1}', '{\n  "a": 1\n}'],
  ['{"a":"cut…', '{"a":"cut…'],
])('shows arguments in lines, and those that were cut as they are', (given, shown) => {
  expect(indented(given)).toBe(shown);
});

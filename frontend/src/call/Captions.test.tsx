import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { Line } from '../conversation/conversation';
import { Captions } from './Captions';

function line(key: string, text: string): Line {
  return { key, side: 'agent', typed: false, text, final: true, mark: null, waitedMs: null, touchedMs: 0 };
}

it('shows what was said before above a divider, and reads none of it out again', () => {
  const html = renderToStaticMarkup(<Captions before={[line('a', 'Paris.')]} lines={[line('b', 'Rome.')]} />);
  expect(html.match(/Paris\.|>Before<|Rome\./g)).toEqual(['Paris.', '>Before<', 'Rome.', 'Rome.']);
  expect(renderToStaticMarkup(<Captions before={[]} lines={[]} />)).not.toContain('Before');
});

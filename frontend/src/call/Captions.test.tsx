import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { Line } from '../conversation/conversation';
import { Captions } from './Captions';

function line(key: string, text: string): Line {
  return { key, side: 'agent', typed: false, text, final: true, mark: null, waitedMs: null, touchedMs: 0 };
}

const drawn = (before: readonly Line[], lines: readonly Line[], readAloud = false) =>
  renderToStaticMarkup(<Captions before={before} lines={lines} measured={() => {}} readAloud={readAloud} />);

it('shows what was said before under a heading and above a divider, and reads none of it out again', () => {
  const html = drawn([line('a', 'Paris.')], [line('b', 'Rome.')], true);
  expect(html.match(/Paris\.|>Earlier<|<hr\/>|Rome\./g)).toEqual(['>Earlier<', 'Paris.', '<hr/>', 'Rome.', 'Rome.']);
  expect(drawn([], [])).not.toContain('Earlier');
});

it('reads nothing out over the voice of AURA unless that is wished for', () => {
  expect(drawn([], [line('a', 'Paris.')])).not.toContain('aria-live="polite"');
});

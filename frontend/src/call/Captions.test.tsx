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

it('offers to ask again what was left open, until something is asked', () => {
  const open = { ...line('a', 'Where is it?'), side: 'user', mark: 'open' } as const;
  const asked = { ...open, key: 'b', mark: null } as const;
  const html = (lines: readonly Line[]) =>
    renderToStaticMarkup(
      <Captions before={[open]} lines={lines} measured={() => {}} readAloud={false} ask={() => {}} />,
    );
  expect(html([])).toContain('not answered: you left');
  expect(html([])).toContain('Ask again');
  expect(html([asked])).not.toContain('Ask again');
  expect(drawn([open], [])).not.toContain('Ask again');
});

it('draws the newest lines of a long call alone', () => {
  const long = Array.from({ length: 300 }, (_, at) => line(`${at}`, `Line ${at}.`));
  const html = drawn([], long);
  expect([html.match(/Line \d+\./g)?.length, html.includes('Line 99.'), html.includes('Line 100.')]).toEqual([
    200,
    false,
    true,
  ]);
});

it('reads out what is seen of a line, in its language', () => {
  const read = (more: Partial<Line>) => drawn([], [{ ...line('a', ''), ...more }], true).split('aria-live="polite"')[1];
  expect(read({ side: 'user', picture: true })).toContain('<li> <span>You showed a picture.</span>');
  expect(read({ text: 'In **Paris**: [more](https://a.example)', lang: 'fr' })).toContain(
    'AURA said: <span lang="fr">In Paris: more</span>',
  );
});

import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { WaitChart } from './WaitChart';

function bars(...waitsMs: number[]): string[] {
  const html = renderToStaticMarkup(<WaitChart waits={waitsMs.map((ms, id) => ({ responseId: String(id), ms }))} />);
  return [...html.matchAll(/max="(\d+)" value="(\d+)"/g)].map(([, max, value]) => `${value}/${max}`);
}

it('draws waits to the scale of the longest one shown', () => {
  expect(bars(28_000, 34_000)).toEqual(['28000/34000', '34000/34000']);
  expect(bars(600, 900)).toEqual(['600/3000', '900/3000']);
  expect(bars(60_000, 1, 1, 1, 1, 1, 1, 1, 1)[0]).toBe('1/3000');
});

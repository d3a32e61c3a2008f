import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { StageTime } from '../agent/attributes';
import type { Wait } from '../conversation/conversation';
import { WaitChart } from './WaitChart';

function wait(ms: number, responseId: string, stages: readonly StageTime[] = []): Wait {
  const timings = { responseId, speechEndToFirstAudioMs: ms, createToFirstAudioMs: null, atMs: 0, stages };
  return { responseId, ms, timings };
}

function chart(...waits: Wait[]): string {
  return renderToStaticMarkup(<WaitChart waits={waits} />);
}

function bars(...waitsMs: number[]): string[] {
  const html = chart(...waitsMs.map((ms, id) => wait(ms, String(id))));
  return [...html.matchAll(/viewBox="0 0 (\d+) 1".*?width="(\d+)"/g)].map(([, max, value]) => `${value}/${max}`);
}

const STAGES = [
  { stage: 'endpointing', waitedMs: 500, tookMs: null },
  { stage: 'asr', waitedMs: 0, tookMs: 120 },
  { stage: 'aura', waitedMs: 210, tookMs: 260 },
  { stage: 'other', waitedMs: 90, tookMs: 90 },
];

it('draws waits to the scale of the longest one shown', () => {
  expect(bars(28_000, 34_000)).toEqual(['28000/34000', '34000/34000']);
  expect(bars(600, 900)).toEqual(['600/3000', '900/3000']);
  expect(bars(60_000, 1, 1, 1, 1, 1, 1, 1, 1)[0]).toBe('1/3000');
});

it('divides a bar among the stages of its turn, one behind the other', () => {
  const html = chart(wait(800, 'r', STAGES));
  const pieces = [...html.matchAll(/<rect data-stage="(\w+)" x="(\d+)" width="(\d+)"/g)];
  expect(pieces.map(([, ...piece]) => piece.join(' '))).toEqual([
    'endpointing 0 500',
    'asr 500 0',
    'aura 500 210',
    'other 710 90',
  ]);
  expect(html).toContain('<title>First words of the answer: 210 ms</title>');
});

it('names the stages of the newest turn, and says what was done ahead', () => {
  const html = chart(wait(700, 'old'), wait(800, 'new', STAGES));
  const list = html.slice(html.indexOf('<dl'));
  expect(list.replace(/<[^>]+>/g, '|').replace(/\|+/g, '|')).toBe(
    '|Sure that you had finished|500 ms|Making out words|120 ms, ahead|0 ms|First words of the answer|210 ms|other|90 ms|',
  );
  expect(chart(wait(800, 'new', STAGES), wait(700, 'later'))).not.toContain('<dl');
});

it('tells who cannot see a bar what is in it', () => {
  expect(chart(wait(800, 'r', STAGES.slice(0, 1)))).toContain(
    'aria-label="Answered in 0.8 s. Sure that you had finished 500 ms"',
  );
});

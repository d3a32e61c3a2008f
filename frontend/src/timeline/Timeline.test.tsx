import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { StageTime } from '../agent/attributes';
import type { LoggedDecision, Wait } from '../conversation/conversation';
import { Timeline } from './Timeline';

const MOMENTS = [
  { name: 'speech_end', atMs: -20 },
  { name: 'heard', atMs: 480 },
  { name: 'nap', atMs: 510 },
];

function wait(ms: number, atMs: number, stages: readonly StageTime[] = []): Wait {
  const responseId = `r${atMs}`;
  const timings = {
    responseId,
    speechEndToFirstAudioMs: ms,
    createToFirstAudioMs: null,
    atMs,
    stages,
    moments: MOMENTS,
  };
  return { responseId, ms, timings };
}

function decision(id: number, what: string, atMs: number, reason = ''): LoggedDecision {
  return { id, what, atMs, reason, text: '', figures: { sound_ms: 900, since_pause_ms: 400 }, seenMs: 0 };
}

function drawn(decisions: readonly LoggedDecision[], waits: readonly Wait[]): string {
  return renderToStaticMarkup(<Timeline decisions={decisions} waits={waits} />);
}

const STAGES = [
  { stage: 'endpointing', waitedMs: 500, tookMs: null },
  { stage: 'asr', waitedMs: 0, tookMs: 120 },
  { stage: 'aura', waitedMs: 300, tookMs: 350 },
];

it('says once that there is nothing yet, and draws nothing', () => {
  const html = drawn([], []);
  expect(html.match(/<p/g)).toHaveLength(1);
  expect(html).not.toContain('<ol');
  expect(html).toContain('data-testid="latency" data-ms=""></span>');
});

it('draws the stages of a turn, its total, and why', () => {
  const html = drawn([decision(1, 'turn', 1_400, 'words')], [wait(800, 1_800, STAGES)]);
  expect([...html.matchAll(/class="piece" data-stage="(\w+)"/g)].map(([, part]) => part)).toEqual([
    'you',
    'endpointing',
    'asr',
    'aura',
  ]);
  expect(html).toContain('<span class="total">0.8 s</span>');
  expect(html).toContain('I waited 0.4 s');
  expect(html).toContain('aria-label="Turn 1. You spoke for 0.9 s. Answered after 0.8 s"');
});

it('shows the exact figures of the newest answer, and what was done ahead', () => {
  const html = drawn([], [wait(700, 1_000), wait(800, 9_000, STAGES)]);
  const list = html.slice(html.indexOf('<dl'), html.indexOf('</dl>'));
  expect([...list.matchAll(/data-ms="(\d+)"/g)].map(([, ms]) => Number(ms))).toEqual([500, 0, 300]);
  expect(list).toContain('120 ms, ahead');
  expect(html).toContain('silence -20 ms · made out 480 ms · nap 510 ms');
  expect(html.match(/<dl/g)).toHaveLength(1);
});

it('puts the newest turn first, and no more than can be read', () => {
  const many = Array.from({ length: 60 }, (_, at) => decision(at + 1, 'turn', at * 10_000));
  const html = drawn(many, []);
  const numbers = [...html.matchAll(/aria-label="Turn (\d+)\./g)].map(([, number]) => Number(number));
  expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([50, 60, 11]);
});

it('tells by which decision and reason the newest is found', () => {
  const html = drawn([decision(1, 'turn', 1_000), decision(2, 'noise', 2_000, 'no_words')], []);
  expect(html).toContain('data-what="noise" data-reason="no_words"');
});

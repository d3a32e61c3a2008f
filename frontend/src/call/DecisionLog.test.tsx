import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { LoggedDecision } from '../conversation/conversation';
import { DecisionLog } from './DecisionLog';

function log(...decisions: Partial<LoggedDecision>[]): string {
  const whole = { what: 'turn', reason: '', text: '', figures: {}, atMs: 0, seenMs: 0 };
  return renderToStaticMarkup(
    <DecisionLog decisions={decisions.map((decision, id) => ({ ...whole, id, ...decision }))} startedMs={0} />,
  );
}

it('shows why, and the numbers behind it', () => {
  const html = log({ what: 'noise', reason: 'no_words', text: 'no words were heard', figures: { sound_ms: 410 } });
  expect(html).toContain('<code>no_words</code> · 410 ms of sound');
  expect(html).toContain('data-reason="no_words"');
});

it('says nothing more of a decision without a reason', () => {
  expect(log({ text: 'somebody spoke' })).not.toContain('why');
});

it('shows the newest ones first, and no more than can be read', () => {
  const html = log(...Array.from({ length: 300 }, (_, at) => ({ text: `n${at};` })));
  expect([...html.matchAll(/n\d+;/g)].map(([text]) => text)).toHaveLength(200);
  expect(html.indexOf('n299;')).toBeLessThan(html.indexOf('n100;'));
  expect(html).not.toContain('n99;');
});

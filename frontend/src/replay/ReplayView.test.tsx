import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { replay } from './exampleReplay.test.data';
import { ReplayView } from './ReplayView';

const drawn = (nowMs: number) =>
  renderToStaticMarkup(
    <ReplayView
      replay={replay()}
      loudness={{ person: [0, 1], agent: [0.5, 0], ms: 10_000 }}
      nowMs={nowMs}
      seek={() => {}}
    />,
  );

it('draws both sides, the decisions and the cursor on one time', () => {
  const html = drawn(5_000);
  expect([...html.matchAll(/<path data-side="(\w+)" d="M/g)].map(([, side]) => side)).toEqual(['user', 'agent']);
  expect(
    [...html.matchAll(/class="tick" data-what="(\w+)"[^>]*inset-inline-start:([\d.]+%)/g)].map(([, ...at]) => at),
  ).toEqual(
    expect.arrayContaining([
      ['turn', '30%'],
      ['interrupted', '59%'],
    ]),
  );
  expect(html).toContain('class="replay-cursor" style="inset-inline-start:50%"');
  expect(html).toContain('aria-valuetext="0:05" value="5000"');
});

it('marks the words that are heard, and tells of nothing that is to come', () => {
  const html = drawn(2_000);
  expect(html.match(/data-now="true"/g)).toHaveLength(1);
  expect(html.match(/data-now="true" data-come="true".*?<\/div>/)?.[0]).toContain('What time is it?');
  expect(html).not.toContain('current_time');
  expect(html).toContain('data-testid="latency" data-ms=""');
  expect(drawn(9_000)).toContain('current_time <small>done, 0.5 s</small>');
});

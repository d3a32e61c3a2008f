import { expect, it } from 'vitest';
import { type Block, type Inline, markdown, plain } from './markdown';

/** As it would be written in a tree of tags. */
function told(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.kind === 'words') return `<p>${inline(block.parts)}</p>`;
      if (block.kind === 'code') return `<pre>${block.text}</pre>`;
      const tag = block.ordered ? 'ol' : 'ul';
      return `<${tag}>${block.items.map((item) => `<li>${inline(item)}</li>`).join('')}</${tag}>`;
    })
    .join('');
}

function inline(parts: readonly Inline[]): string {
  return parts.map(tagged).join('');
}

function tagged(part: Inline): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'code':
      return `<code>${part.text}</code>`;
    case 'link':
      return `<a ${part.href}>${inline(part.parts)}</a>`;
    case 'bold':
      return `<b>${inline(part.parts)}</b>`;
    case 'italic':
      return `<i>${inline(part.parts)}</i>`;
  }
}

it('marks what is bold, italic and code, one within the other', () => {
  expect(told(markdown('**Rome** is *old*, `very` __much__ _so_.'))).toBe(
    '<p><b>Rome</b> is <i>old</i>, <code>very</code> <b>much</b> <i>so</i>.</p>',
  );
  expect(told(markdown('**a *b* c**'))).toBe('<p><b>a <i>b</i> c</b></p>');
});

it('leaves alone what only looks like a mark', () => {
  for (const text of [
    '2 * 3 * 4',
    '5*3*2',
    '5*3* 2',
    'snake_case_name',
    'a ** b ** c',
    '** not yet closed',
    'x < y > z',
  ]) {
    expect(told(markdown(text))).toBe(`<p>${text}</p>`);
  }
});

it('keeps the ends of lines', () => {
  expect(told(markdown('one\ntwo\n\nthree\n'))).toBe('<p>one\ntwo\n\nthree</p>');
});

it('makes lists of lines that begin like items', () => {
  expect(told(markdown('Buy:\n- bread\n- *milk*\n1. open\n2) pour\nDone.'))).toBe(
    '<p>Buy:</p><ul><li>bread</li><li><i>milk</i></li></ul><ol><li>open</li><li>pour</li></ol><p>Done.</p>',
  );
});

it('keeps a block of code as it is, also while it is being written', () => {
  expect(told(markdown('See:\n```py\na = **b**\n```\nok'))).toBe('<p>See:</p><pre>a = **b**</pre><p>ok</p>');
  expect(told(markdown('```\na'))).toBe('<pre>a</pre>');
});

it('links to web pages and mail, and to nothing else', () => {
  expect(told(markdown('[LiveKit](https://livekit.io/a) and https://a.example/b?c=d.'))).toBe(
    '<p><a https://livekit.io/a>LiveKit</a> and <a https://a.example/b?c=d>https://a.example/b?c=d</a>.</p>',
  );
  for (const href of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc', '/relative', 'vbscript:x']) {
    expect(told(markdown(`[x](${href})`))).not.toContain('<a');
  }
});

it('knows no HTML: tags are words', () => {
  const [block] = markdown('<img src=x onerror=alert(1)> <b>bold</b>');
  expect(block).toEqual({
    kind: 'words',
    parts: [{ kind: 'text', text: '<img src=x onerror=alert(1)> <b>bold</b>' }],
  });
});

it('is quick with what is never closed', () => {
  const began = performance.now();
  for (const mark of ['**a', '*a ', '_a ', '[a](', '`a', '- a\n']) markdown(mark.repeat(4_000));
  expect(performance.now() - began).toBeLessThan(5_000);
});

it('tells the words alone', () => {
  expect(plain('**Rome** is *[old](https://a.example)*:\n- `one`\n- two\n```\n*x*\n```')).toBe(
    'Rome is old:\none\ntwo\n*x*',
  );
});

it('searches a long line but once for what is not in it', () => {
  const began = performance.now();
  markdown('**a** [b '.repeat(1_000));
  expect(performance.now() - began).toBeLessThan(500); // 10 ms; searched anew behind each mark, 1,000
});

import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { darkModules } from './modules';
import QrCode from './QrCode';

it('draws each run of dark modules once', () => {
  expect(darkModules([[true, true, false, true], [], [false, true]])).toBe('M0 0h2v1h-2zM3 0h1v1h-1zM1 2h1v1h-1z');
});

it('draws a code with its finders in three corners, and says what it leads to', () => {
  const html = renderToStaticMarkup(<QrCode address="https://aura.example.org/" />);
  expect(html).toContain('aria-label="QR code of https://aura.example.org/"');
  const size = Number(html.match(/viewBox="-4 -4 (\d+)/)?.[1]) - 8;
  expect(size % 4).toBe(1); // 17 + 4 × version
  for (const finder of ['M0 0h7v1h-7z', `M${size - 7} 0h7v1h-7z`, `M0 ${size - 7}h7v1h-7z`])
    expect(html).toContain(finder);
});

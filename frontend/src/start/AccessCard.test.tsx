import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, it, vi } from 'vitest';
import { AccessCard } from './AccessCard';

afterEach(() => vi.unstubAllGlobals());

it('takes along to a sign-in what the link asked for, which leads back there', () => {
  vi.stubGlobal('window', { location: { search: '?room=hall&camera=1' } });
  const html = renderToStaticMarkup(<AccessCard by="sign_in" again={() => {}} back={() => {}} />);
  expect(html).toContain('href="/api/access/sign-in?room=hall&amp;camera=1"');
});

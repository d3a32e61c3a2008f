import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, it, vi } from 'vitest';
import { App } from './App';
import { readUrlOptions } from './session/urlOptions';

afterEach(() => vi.unstubAllGlobals());

it('says that a sign-in has failed, when the server leads back from one', () => {
  vi.stubGlobal('window', { isSecureContext: true, location: { hostname: 'localhost' } });
  const opened = (search: string) => renderToStaticMarkup(<App options={readUrlOptions(search)} />);
  expect(opened('?access=failed')).toContain('<strong>Please sign in</strong><span>That did not work.');
  expect(opened('')).not.toContain('data-testid="toast"');
});

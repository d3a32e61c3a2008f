import { afterEach, expect, it, vi } from 'vitest';
import { applyTheme, storedTheme, watchTheme } from './theme';

afterEach(() => vi.unstubAllGlobals());

it('is told to whoever shows it, wherever it is chosen', () => {
  vi.stubGlobal('document', { documentElement: { dataset: {} }, querySelectorAll: () => [] });
  const shown: string[] = [];
  const stop = watchTheme(() => shown.push(storedTheme()));
  applyTheme('dark');
  applyTheme('system');
  stop();
  applyTheme('light');
  expect([shown, storedTheme()]).toEqual([['dark', 'system'], 'light']);
});

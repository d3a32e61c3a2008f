/** Light, dark, or what the system says; kept for the next visit. */
import { kept } from '../storage/storage';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'aura.theme';
const watchers = new Set<() => void>();

export function storedTheme(): Theme {
  const stored = kept.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    meta.dataset.of ??= meta.media.includes('dark') ? 'dark' : 'light';
    meta.media =
      theme === 'system' ? `(prefers-color-scheme: ${meta.dataset.of})` : meta.dataset.of === theme ? '' : 'print';
  }
  kept.setItem(KEY, theme);
  for (const changed of watchers) changed();
}

/** Returns what ends it. */
export function watchTheme(changed: () => void): () => void {
  watchers.add(changed);
  return () => void watchers.delete(changed);
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
}

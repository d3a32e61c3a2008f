/** Whether this device can share its screen, and which picture of the person's own is shown to them. Pure. */
import type { Shown } from '../agent/attributes';
import { words } from '../words/words';

/** What of a browser's `navigator` tells whether it shares screens. */
export interface Sharer {
  readonly userAgent: string;
  readonly maxTouchPoints?: number;
  readonly userAgentData?: { readonly mobile?: boolean };
  readonly mediaDevices?: { readonly getDisplayMedia?: unknown };
}

/** Phones and tablets may have the function, and refuse it when it is called. An iPad says that it is a Mac. */
export function canShareScreen(browser: Sharer): boolean {
  if (typeof browser.mediaDevices?.getDisplayMedia !== 'function') return false;
  const tablet = /Macintosh/.test(browser.userAgent) && (browser.maxTouchPoints ?? 0) > 1;
  return !(browser.userAgentData?.mobile || tablet || /Android|iPhone|iPad|Mobile/.test(browser.userAgent));
}

/** Which of the pictures that the person gives to show them: the one that AURA is shown, else the screen. */
export function ownPicture(given: readonly Shown[], shown: Shown | null): Shown | null {
  if (shown && given.includes(shown)) return shown;
  return given.includes('screen') ? 'screen' : (given[0] ?? null);
}

export function ownPictureWords(own: Shown, shown: Shown | null): string {
  if (own === shown) return words.call.sees[own];
  return own === 'screen' ? words.call.your.screen : words.call.you;
}

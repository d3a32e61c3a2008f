/** Hands the token of a call to a tab that is opened from it: nobody reads it in an address. */
import type { Keeper } from '../storage/storage';

const KEY = 'aura.replay';
export const REPLAY = '/replay.html';

/** Before a tab is opened from this one, which gives it a copy of what it keeps. */
export function handOver(tab: Keeper, token: string): void {
  tab.setItem(KEY, token);
}

/** No tab that is opened from now on gets it. */
export function takeBack(tab: Keeper): void {
  tab.removeItem(KEY);
}

/** Null: the page was opened by itself. */
export function handedOver(tab: Keeper): string | null {
  return tab.getItem(KEY);
}

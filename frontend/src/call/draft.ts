/** What is written and not sent yet: kept as long as the tab, so that no call that ends takes it along. */
import type { Keeper } from '../storage/storage';

const KEY = 'aura.draft';

export function keptDraft(storage: Keeper): string {
  return storage.getItem(KEY) ?? '';
}

export function keepDraft(storage: Keeper, text: string): void {
  if (text) storage.setItem(KEY, text);
  else storage.removeItem(KEY);
}

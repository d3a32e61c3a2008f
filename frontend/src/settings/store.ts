/** The settings of this page: one value that is kept in the browser and drawn wherever it is used. */
import { useSyncExternalStore } from 'react';
import { type Keeper, kept } from '../storage/storage';
import { type Change, changed, readSettings, type Settings } from './settings';

const KEY = 'aura.settings';

export interface SettingsStore {
  now(): Settings;
  set(change: Change): void;
  subscribe(listener: () => void): () => void;
}

export function openSettings(keeper: Keeper): SettingsStore {
  let settings = readSettings(keeper.getItem(KEY));
  const listeners = new Set<() => void>();
  return {
    now: () => settings,
    set(change) {
      const next = changed(settings, change);
      if (next === settings) return;
      settings = next;
      // Only this, of what is kept: another tab may have set something else since.
      keeper.setItem(KEY, JSON.stringify({ ...readSettings(keeper.getItem(KEY)), ...change }));
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const settingsStore: SettingsStore = openSettings(kept);

export function useSettings(): Settings {
  return useSyncExternalStore(settingsStore.subscribe, settingsStore.now, settingsStore.now);
}

/** The theme that is chosen, wherever it is: a button and the settings show the same. */
import { useSyncExternalStore } from 'react';
import { storedTheme, type Theme, watchTheme } from './theme';

export function useTheme(): Theme {
  return useSyncExternalStore(watchTheme, storedTheme, storedTheme);
}

/** Listens for the keys of a call. */
import { useEffect } from 'react';
import { type Shortcut, shortcutOf } from './shortcuts';

export function useShortcuts(actions: Readonly<Record<Shortcut, () => void>>, characters: boolean): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      const press = {
        key: event.key,
        modified: event.ctrlKey || event.metaKey || event.altKey,
        repeated: event.repeat,
        elsewhere:
          Boolean(target?.closest('input, textarea, select, dialog')) ||
          document.querySelector('dialog[open], :popover-open') !== null,
      };
      const shortcut = shortcutOf(press, characters);
      if (!shortcut) return;
      event.preventDefault();
      actions[shortcut]();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [actions, characters]);
}

/** The modal dialog that is open: nothing outside of it can be seen well, reached or read aloud. */
import { useSyncExternalStore } from 'react';

/** Null: none is open. */
export function useOpenDialog(): HTMLDialogElement | null {
  return useSyncExternalStore(watch, openDialog, () => null);
}

function openDialog(): HTMLDialogElement | null {
  return document.querySelector('dialog:modal');
}

/** Neither event bubbles, and not every browser tells of a dialog that it has opened: that is seen at the next one. */
function watch(changed: () => void): () => void {
  for (const event of EVENTS) document.addEventListener(event, changed, true);
  return () => {
    for (const event of EVENTS) document.removeEventListener(event, changed, true);
  };
}

const EVENTS = ['toggle', 'close'] as const;

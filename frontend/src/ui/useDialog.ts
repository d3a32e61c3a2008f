/** A modal dialog whose content is there only while it is open. */
import { type RefObject, useRef, useState } from 'react';

export interface Dialog {
  /** Of the dialog's element. */
  readonly ref: RefObject<HTMLDialogElement | null>;
  readonly open: boolean;
  show(): void;
  close(): void;
  /** For the element's `onClose`: it is told however the dialog was closed. */
  onClose(): void;
}

export function useDialog(): Dialog {
  const ref = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  return {
    ref,
    open,
    show: () => {
      setOpen(true);
      ref.current?.showModal();
    },
    close: () => ref.current?.close(),
    onClose: () => setOpen(false),
  };
}

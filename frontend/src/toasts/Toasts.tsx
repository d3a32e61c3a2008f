/** Messages about what went wrong and what to do next. */
import { useEffect } from 'react';
import { createPortal } from 'react-dom';
import { Icon } from '../ui/Icon';
import { useOpenDialog } from '../ui/useOpenDialog';
import { useTouch } from '../ui/useTouch';
import { words } from '../words/words';
import type { Toast } from './toasts';

/** Of a message that goes by itself: time to read two short sentences twice. */
const SHOWN_MS = 8_000;

/** In front of all; of a dialog, too, while one is open: what stands behind it cannot be reached. */
export function Toasts({ toasts, dismiss }: { toasts: readonly Toast[]; dismiss: (code: string) => void }) {
  const dialog = useOpenDialog();
  const messages = (
    <div className="toasts" role="alert" aria-live="assertive">
      {toasts.map((toast) => (
        <Message key={toast.code} toast={toast} dismiss={dismiss} />
      ))}
    </div>
  );
  return dialog ? createPortal(messages, dialog) : messages;
}

function Message({ toast, dismiss }: { toast: Toast } & Dismissing) {
  const { id, code, title, passes } = toast;
  const advice = (useTouch() && toast.adviceOnTouch) || toast.advice;
  // biome-ignore lint/correctness/useExhaustiveDependencies: told anew, it has its time anew
  useEffect(() => {
    if (!passes) return;
    const timer = setTimeout(() => dismiss(code), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, code, passes, dismiss]);
  return (
    <div className="toast" data-testid="toast" data-code={code}>
      <Icon name="alert" />
      <p>
        <strong>{title}</strong>
        <span>{advice}</span>
      </p>
      <button type="button" className="quiet" onClick={() => dismiss(code)} aria-label={words.settings.dismiss(title)}>
        <Icon name="close" />
      </button>
    </div>
  );
}

interface Dismissing {
  readonly dismiss: (code: string) => void;
}

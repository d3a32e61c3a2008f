/** Messages about what went wrong and what to do next. */
import { Icon } from '../ui/Icon';
import type { Toast } from './toasts';

export function Toasts({ toasts, dismiss }: { toasts: readonly Toast[]; dismiss: (code: string) => void }) {
  return (
    <div className="toasts" role="alert" aria-live="assertive">
      {toasts.map((toast) => (
        <div key={toast.code} className="toast" data-testid="toast" data-code={toast.code}>
          <Icon name="alert" />
          <p>
            <strong>{toast.title}</strong>
            <span>{toast.advice}</span>
          </p>
          <button
            type="button"
            className="quiet"
            onClick={() => dismiss(toast.code)}
            aria-label={`Dismiss: ${toast.title}`}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

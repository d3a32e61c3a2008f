/** The gear, and the dialog that it opens; what stands in it is there only while somebody looks. */
import { type ReactNode, Suspense } from 'react';
import { Icon } from '../ui/Icon';
import { useDialog } from '../ui/useDialog';
import { words } from '../words/words';

export function SettingsButton({ sheet }: { readonly sheet: (close: () => void) => ReactNode }) {
  const dialog = useDialog();
  return (
    <>
      <button
        type="button"
        className="quiet"
        data-testid="settings"
        aria-haspopup="dialog"
        aria-label={words.settings.title}
        title={words.settings.title}
        onClick={dialog.show}
      >
        <Icon name="settings" />
      </button>
      <dialog
        ref={dialog.ref}
        className="sheet"
        data-testid="sheet"
        aria-label={words.settings.title}
        onClose={dialog.onClose}
        onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
        onKeyDown={(event) => event.stopPropagation()}
      >
        <Suspense>{dialog.open && sheet(dialog.close)}</Suspense>
      </dialog>
    </>
  );
}

/** Asks before a key press ends the call. */
import type { RefObject } from 'react';

export function LeaveDialog({ dialog, leave }: { dialog: RefObject<HTMLDialogElement | null>; leave: () => void }) {
  return (
    <dialog ref={dialog} className="leave-dialog" aria-labelledby="leave-title">
      <h2 id="leave-title">Leave the call?</h2>
      <p>You can return within 45 seconds and go on where you were.</p>
      <form method="dialog" className="row">
        <button type="submit" className="secondary">
          Stay
        </button>
        <button type="button" className="danger" data-testid="leave-confirm" onClick={leave}>
          Leave
        </button>
      </form>
    </dialog>
  );
}

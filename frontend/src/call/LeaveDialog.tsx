/** Asks before a key press ends the call. */
import type { RefObject } from 'react';
import { words } from '../words/words';

export function LeaveDialog({ dialog, leave }: { dialog: RefObject<HTMLDialogElement | null>; leave: () => void }) {
  return (
    <dialog ref={dialog} className="leave-dialog" aria-labelledby="leave-title">
      <h2 id="leave-title">{words.call.leaveQuestion}</h2>
      <p>{words.call.leaveAdvice}</p>
      <form method="dialog" className="row">
        <button type="submit" className="secondary">
          {words.call.stay}
        </button>
        <button type="button" className="danger" data-testid="leave-confirm" onClick={leave}>
          {words.call.leave}
        </button>
      </form>
    </dialog>
  );
}

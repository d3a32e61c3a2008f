/** How long a connection that is gone is tried for: the library goes on without end where each attempt half succeeds. */

/** The agent waits a minute for its caller. */
export const GIVE_UP_MS = 60_000;
/** A connection that holds for so long has come back. */
const HOLDS_MS = 5_000;

export interface Patience {
  changed(connected: boolean): void;
  close(): void;
}

/** @param giveUp is called once, when there was no connection that held for too long. */
export function patience(giveUp: () => void): Patience {
  let connected = true;
  let exhausted = false;
  let end: ReturnType<typeof setTimeout> | undefined;
  let held: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    clearTimeout(end);
    clearTimeout(held);
  };
  const stop = () => {
    close();
    giveUp();
  };
  return {
    changed(now) {
      if (now === connected) return;
      connected = now;
      clearTimeout(held);
      if (connected) {
        held = setTimeout(() => {
          clearTimeout(end);
          end = undefined;
          exhausted = false;
        }, HOLDS_MS);
      } else if (exhausted) {
        stop();
      } else {
        end ??= setTimeout(() => {
          exhausted = true;
          if (!connected) stop();
        }, GIVE_UP_MS);
      }
    },
    close,
  };
}

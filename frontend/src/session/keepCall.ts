/** Remembers the call while it lasts, also for a tab that dies without a word. */
import { keepLines, keptLines } from '../conversation/keptLines';
import { linesWhenLeft } from '../conversation/leaving';
import type { Conversation } from '../conversation/openConversation';
import { keptInTab } from '../storage/storage';
import type { Place } from './choices';
import { REMEMBER_EVERY_MS, remember } from './returning';

/** Shows what was said in this call before, and keeps what is said from now on. Returns what ends that. */
export function keepCall(place: Place, conversation: Conversation): () => void {
  conversation.recall(keptLines(keptInTab, place));
  const keep = (): void => {
    const now = conversation.current();
    remember(keptInTab, place, Date.now());
    keepLines(keptInTab, place, [...now.before, ...linesWhenLeft(now)]);
  };
  keep();
  const timer = setInterval(keep, REMEMBER_EVERY_MS);
  window.addEventListener('pagehide', keep);
  let ended = false;
  return () => {
    if (ended) return; // a person may have had it forgotten since
    ended = true;
    clearInterval(timer);
    window.removeEventListener('pagehide', keep);
    keep();
  };
}

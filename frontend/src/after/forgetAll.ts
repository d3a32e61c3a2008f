/** Forgets what was kept of a call: the record at the server first, for what is in this browser says whose it was. */
import { keepDraft } from '../call/draft';
import { forgetLines } from '../conversation/keptLines';
import { deleteRecord } from '../records/record';
import { takeBack } from '../replay/handOver';
import { forget } from '../session/returning';
import type { Keeper } from '../storage/storage';

/**
 * Whether all is forgotten; false: the record is there still, and so is all else.
 *
 * @param token of a call that may be recorded; null: it is not.
 */
export async function forgetAll(token: string | null, storage: Keeper): Promise<boolean> {
  if (token !== null && !(await deleteRecord(token))) return false;
  forgetLines(storage);
  forget(storage);
  keepDraft(storage, '');
  takeBack(storage);
  return true;
}

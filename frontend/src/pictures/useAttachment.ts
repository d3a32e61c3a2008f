/** The picture that waits in the box to be sent: pasted or dropped, shown small, and taken out again. */
import { useCallback, useEffect, useState } from 'react';
import { useReporter } from '../toasts/reporter';
import { type Picture, prepareFile } from './prepare';
import { nobodySees, unreadablePicture } from './problems';
import { firstPicture } from './scale';

export interface Attachment {
  readonly picture: Picture | null;
  /** Takes the first picture of what was pasted or dropped; false: there is none in it. */
  take(data: DataTransfer | null): boolean;
  /** Takes out that picture, and no newer one. */
  remove(picture: Picture): void;
}

/** @param sees the agent looks at pictures; null: not known, and it will say so. */
export function useAttachment(sees: boolean | null): Attachment {
  const [picture, setPicture] = useState<Picture | null>(null);
  const { report, withdraw } = useReporter();
  useEffect(() => {
    if (picture) return () => URL.revokeObjectURL(picture.url);
  }, [picture]);
  const take = useCallback(
    (data: DataTransfer | null) => {
      const file = firstPicture(data?.files ?? []);
      if (!file && data?.files.length && !data.types.includes('text/plain')) report(unreadablePicture());
      if (!file) return false;
      if (sees === false) {
        report(nobodySees());
        return true;
      }
      withdraw(nobodySees().code);
      prepareFile(file).then(setPicture, () => report(unreadablePicture()));
      return true;
    },
    [sees, report, withdraw],
  );
  const remove = useCallback((gone: Picture) => setPicture((current) => (current === gone ? null : current)), []);
  return { picture, take, remove };
}

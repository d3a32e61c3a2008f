/** Offers the page's address to a phone; there is nothing to see where no phone could reach it. */
import '../styles/reach.css';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Icon } from '../ui/Icon';
import { useDialog } from '../ui/useDialog';
import { isTouch } from '../ui/useTouch';
import { words } from '../words/words';
import { addressForPhones, givesMicrophones, type Reach } from './addresses';

const QrCode = lazy(() => import('./QrCode'));

export default function PhoneLink() {
  const [reach, setReach] = useState<Reach | null>(null);
  const dialog = useDialog();
  useEffect(() => {
    // Who is on a phone already needs no code for it.
    if (isTouch() || window.parent !== window) return;
    const asking = new AbortController();
    void addressForPhones(asking.signal).then((found) => !asking.signal.aborted && setReach(found));
    return () => asking.abort();
  }, []);
  if (!reach) return null;
  const { address, trust } = reach;
  const scanned = trust ?? address;
  return (
    <>
      <button
        type="button"
        className="quiet"
        data-testid="phone"
        onClick={dialog.show}
        aria-label={words.reach.usePhone}
        title={words.reach.usePhone}
      >
        <Icon name="phone" />
      </button>
      <dialog
        ref={dialog.ref}
        className="leave-dialog phone-link"
        aria-labelledby="phone-title"
        onClose={dialog.onClose}
      >
        <h2 id="phone-title">{words.reach.title}</h2>
        <p>{words.reach.scan}</p>
        <Suspense>{dialog.open && <QrCode address={scanned} />}</Suspense>
        <p className="address">{scanned}</p>
        {trust && <p className="fine">{words.reach.trustFirst(address)}</p>}
        {!givesMicrophones(address) && <p className="fine">{words.reach.typingOnly}</p>}
        <form method="dialog">
          <button type="submit" className="secondary">
            {words.reach.close}
          </button>
        </form>
      </dialog>
    </>
  );
}

/** Where what is said is heard and answered; or that nothing answers yet. */
import { type Promised, promised } from '../about/about';
import { useAbout } from '../about/useAbout';
import { Icon } from '../ui/Icon';
import { language, words } from '../words/words';

export function PrivacyLine() {
  const promise = promised(useAbout(), window.location.hostname);
  return (
    <p className="privacy" role="status" data-testid="privacy" data-what={promise?.what}>
      {(promise?.what === 'runsHere' || promise?.what === 'runsOn') && <Icon name="lock" />}
      {promise && <span>{promiseWords(promise)}</span>}
    </p>
  );
}

function promiseWords(promise: Promised): string {
  const told = words.welcome;
  if (!('hosts' in promise)) return told[promise.what];
  return told[promise.what](new Intl.ListFormat(language).format(promise.hosts));
}

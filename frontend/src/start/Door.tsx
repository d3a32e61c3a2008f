/** The frame of everything before a call: name, one line, and the card of the moment. */
import { lazy, type ReactNode, Suspense } from 'react';
import type { About } from '../about/about';
import { useAbout } from '../about/useAbout';
import { Wordmark } from '../brand/Wordmark';
import { typingOnly } from '../devices/typingOnly';
import { useTrail } from '../horizon/sunTrail';
import { SettingsButton } from '../settings/SettingsButton';
import { ThemeToggle } from '../theme/ThemeToggle';
import { bringAllWords, words } from '../words/words';
import { LanguagePicker } from './LanguagePicker';
import { PrivacyLine } from './PrivacyLine';

/** With all words: those of the first screen are not enough for it. */
const DoorSheet = lazy(async () => {
  const [sheet] = await Promise.all([import('../settings/DoorSheet'), bringAllWords()]);
  return sheet;
});

/** Where it cannot be fetched, the door does without it. */
const PhoneLink = lazy(async () => {
  try {
    const [link] = await Promise.all([import('../reach/PhoneLink'), bringAllWords()]);
    return link;
  } catch {
    return { default: () => null };
  }
});

export function Door({ children }: { children: ReactNode }) {
  const { sun, line } = useTrail();
  const about = useAbout();
  return (
    <main className="door">
      <div className="door-corner">
        <Suspense>
          <PhoneLink />
        </Suspense>
        <LanguagePicker />
        <ThemeToggle />
        <SettingsButton sheet={(close) => <DoorSheet close={close} />} />
      </div>
      <div className="dawn" ref={line} aria-hidden="true">
        <div className="sun" ref={sun} />
      </div>
      <header className="door-name">
        <h1>
          <Wordmark />
        </h1>
        <p>{tagline(about)}</p>
        <PrivacyLine />
        {about?.records && (
          <p className="privacy" data-testid="records">
            {words.welcome.recorded}
          </p>
        )}
      </header>
      <div className="door-card">{children}</div>
    </main>
  );
}

/** What one does with it: only what can be done here. */
function tagline(about: About | null): string {
  if (typingOnly()) return words.about.taglineTyping;
  return about?.sees ? words.about.taglineWithEyes : words.about.tagline;
}

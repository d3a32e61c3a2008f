/** What the chips offer to ask: only what this installation can answer. Pure, but for the words. */
import type { About } from '../about/about';
import type { FirstQuestion } from '../session/choices';
import { language, words } from '../words/words';

/** Languages that people like to practise, the most liked one first. */
const PRACTISED = ['es', 'fr', 'en', 'de', 'it', 'pt', 'ja', 'zh'];
const MOST = 3;

/** @param shows the person can show it something. */
export function firstQuestions(about: About | null, shows = true): readonly FirstQuestion[] {
  const { story, practise, see, joke } = words.welcome;
  const practised = practisable(about, language);
  const name = practised && new Intl.DisplayNames([language], { type: 'language' }).of(practised);
  const asked: readonly (FirstQuestion | null)[] = [
    { text: story, aboutPicture: false },
    name ? { text: practise(name), aboutPicture: false } : null,
    about?.sees && shows ? { text: see, aboutPicture: true } : null,
    { text: joke, aboutPicture: false },
  ];
  return asked.filter((question) => question !== null).slice(0, MOST);
}

/** A foreign language that is understood and spoken here; null: none is, as far as is told. */
export function practisable(about: About | null, own: string): string | null {
  const { languages = [], voiceLanguages = [] } = about ?? {};
  const known = (code: string) => code !== own && languages.includes(code) && voiceLanguages.includes(code);
  return PRACTISED.find(known) ?? null;
}

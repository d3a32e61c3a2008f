/** The language of the page, and of the call that begins here, in front of all else that can be set. */
import { chooseLanguage, LANGUAGES, type Language, language, OWN_NAMES, words } from '../words/words';

export function LanguagePicker() {
  return (
    <select
      className="page-language"
      data-testid="door-language"
      aria-label={words.settings.pageLanguage}
      title={words.settings.pageLanguage}
      value={language}
      onChange={({ target }) => void chooseLanguage(target.value as Language)}
    >
      {LANGUAGES.map((code) => (
        <option key={code} value={code} lang={code}>
          {OWN_NAMES[code]}
        </option>
      ))}
    </select>
  );
}

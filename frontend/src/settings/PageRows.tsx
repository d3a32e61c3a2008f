/** The page itself: its language, its colours, its keys. */
import { useState } from 'react';
import { applyTheme, storedTheme, THEMES } from '../theme/theme';
import { chooseLanguage, LANGUAGES, language, OWN_NAMES, words } from '../words/words';
import { ChoiceRow, SwitchRow } from './rows';
import { settingsStore, useSettings } from './store';

export function PageRows() {
  const { letterKeys } = useSettings();
  const [theme, setTheme] = useState(storedTheme);
  const sheet = words.sheet;
  const { settings } = words;
  return (
    <div className="setting-group">
      <ChoiceRow
        label={settings.pageLanguage}
        hint={sheet.pageLanguageHint}
        testid="page-language"
        value={language}
        options={LANGUAGES.map((value) => ({ value, name: OWN_NAMES[value] }))}
        pick={chooseLanguage}
      />
      <ChoiceRow
        label={sheet.theme}
        testid="theme"
        value={theme}
        options={THEMES.map((value) => ({ value, name: settings.themes[value] }))}
        pick={(chosen) => {
          applyTheme(chosen);
          setTheme(chosen);
        }}
      />
      <SwitchRow
        label={sheet.letterKeys}
        hint={sheet.letterKeysHint}
        testid="letter-keys"
        on={letterKeys}
        turn={(on) => settingsStore.set({ letterKeys: on })}
      />
    </div>
  );
}

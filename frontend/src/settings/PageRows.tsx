/** The page itself: its language, its colours, its keys. */
import { applyTheme, THEMES } from '../theme/theme';
import { useTheme } from '../theme/useTheme';
import { chooseLanguage, LANGUAGES, language, OWN_NAMES, words } from '../words/words';
import { ChoiceRow, SwitchRow } from './rows';
import { settingsStore, useSettings } from './store';

export function PageRows() {
  const { letterKeys } = useSettings();
  const theme = useTheme();
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
        pick={applyTheme}
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

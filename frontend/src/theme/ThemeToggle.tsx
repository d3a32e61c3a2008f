/** One button that goes through the themes. */
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { applyTheme, nextTheme } from './theme';
import { useTheme } from './useTheme';

const ICONS = { system: 'auto', light: 'sun', dark: 'moon' } as const;

export function ThemeToggle() {
  const theme = useTheme();
  const turn = () => applyTheme(nextTheme(theme));
  const label = words.settings.theme(words.settings.themes[theme], words.settings.themes[nextTheme(theme)]);
  return (
    <button type="button" className="quiet" onClick={turn} aria-label={label} title={label}>
      <Icon name={ICONS[theme]} />
    </button>
  );
}

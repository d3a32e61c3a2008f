/** One button that goes through the themes. */
import { useState } from 'react';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { applyTheme, nextTheme, storedTheme } from './theme';

const ICONS = { system: 'auto', light: 'sun', dark: 'moon' } as const;

export function ThemeToggle() {
  const [theme, setTheme] = useState(storedTheme);
  const turn = () => {
    const next = nextTheme(theme);
    applyTheme(next);
    setTheme(next);
  };
  const label = words.settings.theme(words.settings.themes[theme], words.settings.themes[nextTheme(theme)]);
  return (
    <button type="button" className="quiet" onClick={turn} aria-label={label} title={label}>
      <Icon name={ICONS[theme]} />
    </button>
  );
}

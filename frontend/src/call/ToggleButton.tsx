/** A round button for a device that is on or off. */
import { Icon, type IconName } from '../ui/Icon';

interface Props {
  readonly name: string;
  readonly shortcut?: string;
  /** On, off. */
  readonly icons: readonly [IconName, IconName];
  readonly on: boolean;
  readonly pending: boolean;
  readonly toggle: () => void;
}

export function ToggleButton({ name, shortcut, icons, on, pending, toggle }: Props) {
  return (
    <button
      type="button"
      className="toggle"
      aria-pressed={on}
      aria-busy={pending}
      aria-label={name}
      aria-keyshortcuts={shortcut}
      title={`${name}: ${on ? 'on' : 'off'}${shortcut ? ` (${shortcut})` : ''}`}
      onClick={pending ? undefined : toggle}
    >
      <Icon name={on ? icons[0] : icons[1]} />
    </button>
  );
}

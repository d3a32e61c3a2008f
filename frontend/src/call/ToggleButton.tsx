/** A round button for a device that is on or off. */
import { Icon, type IconName } from '../ui/Icon';
import { words } from '../words/words';

interface Props {
  readonly name: string;
  readonly shortcut?: string | undefined;
  /** On, off. */
  readonly icons: readonly [IconName, IconName];
  /** The one in the middle. */
  readonly main?: boolean;
  readonly disabled?: boolean;
  readonly on: boolean;
  readonly pending: boolean;
  readonly toggle: () => void;
}

export function ToggleButton({ name, shortcut, icons, main, disabled, on, pending, toggle }: Props) {
  return (
    <button
      type="button"
      className="toggle"
      data-main={main}
      disabled={disabled}
      aria-pressed={on}
      aria-busy={pending}
      aria-label={name}
      aria-keyshortcuts={shortcut}
      title={words.call.turned(name, on, shortcut)}
      onClick={pending ? undefined : toggle}
    >
      <Icon name={on ? icons[0] : icons[1]} />
    </button>
  );
}

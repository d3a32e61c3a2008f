/** The button that is held to talk, by hand or by key. */
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import type { HoldToTalk } from './useHoldToTalk';

export function HoldButton({ open, dispatch }: HoldToTalk) {
  const button = useRef<HTMLButtonElement>(null);
  // Who closes the settings holds the space bar next, and is not to press the button that opens them.
  useEffect(() => {
    const take = () => button.current?.focus();
    document.addEventListener('close', take, true);
    return () => document.removeEventListener('close', take, true);
  }, []);
  const press = () => dispatch({ type: 'press', holder: 'button' });
  const release = () => dispatch({ type: 'release', holder: 'button' });
  const ifPressed = (event: KeyboardEvent, act: () => void) => {
    if (event.key !== ' ' && event.key !== 'Enter') return;
    event.preventDefault();
    act();
  };
  return (
    <button
      ref={button}
      type="button"
      className="hold"
      data-testid="hold"
      data-open={open}
      aria-pressed={open}
      aria-label={words.sheet.hold.button}
      title={words.sheet.hold.tip}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        press();
      }}
      onPointerUp={release}
      onPointerCancel={release}
      onLostPointerCapture={release}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => ifPressed(event, press)}
      onKeyUp={(event) => ifPressed(event, release)}
      onBlur={release}
    >
      <Icon name={open ? 'mic' : 'mic-off'} />
    </button>
  );
}

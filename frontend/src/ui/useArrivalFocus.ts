/** Moves the focus to the heading of a screen that has just taken the place of another, if the old one took it along. */
import { useLayoutEffect, useRef } from 'react';

/** A screen's own mark comes before its first heading. */
const HEADINGS = ['[data-arrival]', 'h1', 'h2'];

export function useArrivalFocus(screen: string): void {
  const shown = useRef(screen);
  // Before anything else looks where the focus has gone.
  useLayoutEffect(() => {
    if (shown.current === screen) return;
    shown.current = screen;
    if (document.activeElement === document.body) focusHeading();
  }, [screen]);
}

export function focusHeading(): void {
  const main = document.querySelector('main');
  const heading = HEADINGS.map((selector) => main?.querySelector<HTMLElement>(selector)).find(Boolean);
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** Keeps the keyboard's place on the page: where what had the focus is taken away, what is nearest to it gets it. */
import { focusHeading } from './useArrivalFocus';

/** What takes it. No box to type into: it would open the keyboard of a phone. */
const TAKES = 'a[href], button:not(:disabled), select:not(:disabled), summary, [tabindex="0"]';
const REMEMBERED = 8;

/** Works as long as the page. What is only hidden or disabled hands the focus on itself. */
export function keepFocus(): void {
  /** What has the focus, and all that it lies in; empty: nothing has, because the person left it. */
  let way: readonly Element[] = [];
  let before: readonly Element[] = [];

  const arrived = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return;
    way = wayUp(target);
    before = [...before.filter((element) => element !== target), target].slice(-REMEMBERED);
  };
  const left = () =>
    queueMicrotask(() => {
      if (way[0]?.isConnected && nowhere()) way = [];
    });
  const look = () => {
    if (way.length === 0 || way[0]?.isConnected || !nowhere()) return;
    const next = way.map(takerIn).find(Boolean) ?? before.findLast(canTake);
    way = [];
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    else focusHeading();
  };

  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  document.addEventListener('focusin', arrived);
  document.addEventListener('focusout', left);
}

function nowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Up to the screen: of another screen nothing is near. */
function wayUp(element: Element): readonly Element[] {
  const way: Element[] = [];
  for (let part: Element | null = element; part && part.id !== 'root' && part !== document.body; ) {
    way.push(part);
    part = part.parentElement;
  }
  return way;
}

function takerIn(part: Element): Element | undefined {
  return [part, ...part.querySelectorAll(TAKES)].find(canTake);
}

function canTake(element: Element): boolean {
  return element.isConnected && element.matches(TAKES) && element.getClientRects().length > 0;
}

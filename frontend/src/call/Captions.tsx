/** The conversation as a script, kept at its newest line unless the person reads back. */
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { Line } from '../conversation/conversation';
import { Icon } from '../ui/Icon';
import { words } from '../words/words';
import { Announcer } from './Announcer';
import { Script } from './Script';
import { readsBack, type ScriptView } from './scriptRoom';

interface Props {
  /** What was said before the person left and came back. */
  readonly before: readonly Line[];
  readonly lines: readonly Line[];
  /** Is told how high the words are and how high their box is, whenever either may have changed. */
  readonly measured: (wordsPx: number, boxPx: number) => void;
  /** Each line is read out by a screen reader once it is complete, over AURA's own voice. */
  readonly readAloud: boolean;
  /** Asks a question again that was left open. */
  readonly ask?: (text: string) => void;
  /** Shown until the person has said something. */
  readonly children?: ReactNode;
}

/** Of a long call: all of it can be read once it is over. */
const SHOWN = 200;

export function Captions({ before, lines, measured, readAloud, ask, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [reading, setReading] = useState(false);
  const readingNow = useRef(false);
  const view = useRef<ScriptView>({ size: '', top: 0, below: 0 });
  const begun = lines.some(({ side }) => side === 'user');
  const toEnd = () => scrollToEnd(box.current);

  const look = useCallback(() => {
    if (!box.current) return;
    const now = viewOf(box.current);
    readingNow.current = readsBack(readingNow.current, view.current, now);
    view.current = now;
    setReading(readingNow.current);
  }, []);
  const follow = useCallback(() => {
    if (!box.current) return;
    look();
    if (!readingNow.current) scrollToEnd(box.current);
    measured(wordsIn(box.current), box.current.clientHeight);
  }, [look, measured]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the lines may lengthen the script
  useEffect(follow, [before, lines, reading, follow]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const scrolled = () => {
      const { size } = view.current;
      look();
      if (view.current.size !== size && !readingNow.current) scrollToEnd(element);
    };
    // What is seen of the script changes with the stage, the keyboard of a phone, the window, the size of the words:
    // its end stays in view.
    const watcher = new ResizeObserver(follow);
    for (const part of [element, ...element.children]) watcher.observe(part);
    // Of the window, too: where there is little height, the whole page scrolls.
    element.addEventListener('scroll', scrolled, { passive: true });
    window.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      watcher.disconnect();
      element.removeEventListener('scroll', scrolled);
      window.removeEventListener('scroll', scrolled);
    };
  }, [look, follow]);
  return (
    <section className="captions" aria-label={words.captions.conversation} data-reading={reading}>
      {/* A scrolling region must be reachable by keyboard. */}
      <div className="script" ref={box} tabIndex={0} role="log" aria-live="off" aria-label={words.captions.captions}>
        {before.length > 0 && (
          <>
            <p className="before">{words.captions.before}</p>
            <Script lines={before} ask={begun ? undefined : ask} />
            <hr />
          </>
        )}
        {lines.length === 0 && before.length === 0 && <p className="empty">{words.captions.empty}</p>}
        <Script lines={lines.slice(-SHOWN)} />
        {before.length === 0 && !begun && children}
      </div>
      {reading && (
        <button type="button" className="to-end" onClick={toEnd}>
          <Icon name="down" /> {words.captions.newest}
        </button>
      )}
      {readAloud && <Announcer lines={lines} />}
    </section>
  );
}

/** What scrolls the script: its own box or, where there is little height, the page. */
function scrollerOf(box: HTMLElement): Element {
  const own = getComputedStyle(box).overflowY !== 'visible';
  return own ? box : (document.scrollingElement ?? box);
}

function viewOf(box: HTMLElement): ScriptView {
  const scroller = scrollerOf(box);
  const { scrollHeight, scrollTop, clientWidth, clientHeight } = scroller;
  const size = `${clientWidth} ${clientHeight} ${scrollHeight}`;
  // Where the page scrolls, more than the script is in it.
  const below =
    scroller === box ? scrollHeight - scrollTop - clientHeight : box.getBoundingClientRect().bottom - innerHeight;
  return { size, top: scrollTop, below };
}

/** How high words and chips are with the space around them; where the page scrolls, they need no more than there is. */
function wordsIn(box: HTMLElement): number {
  if (scrollerOf(box) !== box) return 0;
  const { paddingTop, paddingBottom } = getComputedStyle(box);
  const parts = [...box.children].map((part) => part.clientHeight + gapOver(part));
  return parts.reduce((sum, part) => sum + part, Number.parseFloat(paddingTop) + Number.parseFloat(paddingBottom));
}

/** Of the first part it is what is left. */
function gapOver(part: Element): number {
  return part.previousElementSibling ? Number.parseFloat(getComputedStyle(part).marginTop) : 0;
}

function scrollToEnd(box: HTMLElement | null): void {
  if (!box) return;
  const scroller = scrollerOf(box);
  scroller.scrollTo({ top: scroller.scrollHeight });
}

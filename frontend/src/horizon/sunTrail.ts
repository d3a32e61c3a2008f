/** The sun's way from one screen to the next: sun and horizon are seen to glide to where they stand now. */
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { prefersReducedMotion } from '../ui/reducedMotion';

/** Where sun and horizon stand; CSS pixels of the window. */
export interface Dawn {
  /** The middle of the sun's light, and how wide that is. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly lineY: number;
}

interface Places {
  readonly sun: RefObject<HTMLDivElement | null>;
  /** Its lower edge is the horizon: it ends there, or is a line. */
  readonly line: RefObject<HTMLDivElement | null>;
}

const GLIDE: KeyframeAnimationOptions = { duration: 600, easing: 'cubic-bezier(0.3, 0, 0.1, 1)' };
/** A screen that was left longer ago than this was another visit's. */
const FRESH_MS = 300;

let last: { readonly dawn: Dawn; readonly leftMs: number } | null = null;

/** For a screen that is left: remembers where they stood. */
export function useTrail(): Places {
  const places = usePlaces();
  useLayoutEffect(() => {
    const [sun, line] = [places.sun.current, places.line.current];
    return () => {
      if (sun && line) last = { dawn: measure(sun, line), leftMs: performance.now() };
    };
  }, [places.sun, places.line]);
  return places;
}

/** For a screen that is entered: they begin where they stood last. Where less motion is asked for, they just stand. */
export function useGlide(whole: RefObject<HTMLElement | null>): Places {
  const places = usePlaces();
  useLayoutEffect(() => {
    const [sun, line] = [places.sun.current, places.line.current];
    const from = last;
    last = null;
    if (!sun || !line || !from || performance.now() - from.leftMs > FRESH_MS) return;
    if (prefersReducedMotion()) return;
    const way = wayBetween(from.dawn, measure(sun, line));
    const glides = [
      whole.current?.animate([{ transform: way.whole }, { transform: 'none' }], GLIDE),
      sun.animate([{ transform: way.sun }, { transform: 'none' }], GLIDE),
      sun.firstElementChild?.animate([{ opacity: 1 }, { opacity: 0 }], GLIDE), // the light that it brings along
    ];
    return () => {
      for (const glide of glides) glide?.cancel();
    };
  }, [places.sun, places.line, whole]);
  return places;
}

/** What moves the whole picture, and in it the sun, from `to` back to `from`. Pure. */
export function wayBetween(from: Dawn, to: Dawn): { whole: string; sun: string } {
  const down = from.lineY - to.lineY;
  const scale = to.width > 0 ? from.width / to.width : 1;
  return {
    whole: `translateY(${down}px)`,
    sun: `translate(${from.x - to.x}px, ${from.y - to.y - down}px) scale(${scale.toFixed(3)})`,
  };
}

function usePlaces(): Places {
  return { sun: useRef<HTMLDivElement>(null), line: useRef<HTMLDivElement>(null) };
}

function measure(sun: HTMLElement, line: HTMLElement): Dawn {
  const { left, top, width, height } = sun.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2, width, lineY: line.getBoundingClientRect().bottom };
}

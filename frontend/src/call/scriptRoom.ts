/** Whether the words leave the stage the room that it likes to have. */

/** By so much the words must fit again before the stage grows back, so that a line more or less does not move it. */
const SLACK_PX = 24;

/**
 * Whether the words need more than what is left beside a large stage; both measures are the same for a stage of any
 * size, so that its own shrinking decides nothing.
 *
 * @param needed The script has needed more until now.
 * @param wordsPx How high the words are, with what is offered to ask.
 * @param roomPx How high the script is beside a large stage.
 */
export function needsMore(needed: boolean, wordsPx: number, roomPx: number): boolean {
  return wordsPx > roomPx - (needed ? SLACK_PX : 0);
}

/** The end of the script is nearer to the view than this: the person reads along. Pixels. */
const NEAR_PX = 80;

/** What is seen of a script. Pixels. */
export interface ScriptView {
  /** Changes with whatever changes what there is to scroll. */
  readonly size: string;
  /** How far it is scrolled down. */
  readonly top: number;
  /** How much of it is below what is seen. */
  readonly below: number;
}

/**
 * Whether the person reads back. Only they move the script up: what moves together with a change of size was moved by
 * the window, the stage or a phone's keyboard. Whoever sees the end reads along, however they came there.
 */
export function readsBack(reading: boolean, before: ScriptView, now: ScriptView): boolean {
  if (now.below <= NEAR_PX) return false;
  return reading || (now.size === before.size && now.top < before.top);
}

/** Shows who speaks: AURA above the line, the person below it, a glow where the voice is. */
import { type RefObject, useEffect, useRef } from 'react';
import type { AgentState } from '../agent/attributes';
import { loudness } from '../sound/bands';
import type { Ear } from '../sound/ear';
import { useEar } from '../sound/useEar';
import { useReducedMotion } from '../ui/useReducedMotion';
import { barCount, paint } from './paint';
import { highest, restingBars, settle, voiceBars } from './shape';

interface Props {
  readonly state: AgentState;
  readonly agentTrack?: MediaStreamTrack | undefined;
  readonly personTrack?: MediaStreamTrack | undefined;
}

/** Thirty frames a second are smooth for a voice and spare a phone. */
const FRAME_MS = 30;
/** With reduced motion the bars only follow the voices, a few times a second. */
const CALM_FRAME_MS = 200;

export function Horizon({ state, agentTrack, personTrack }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const agent = useEar(agentTrack);
  const person = useEar(personTrack);
  const calm = useReducedMotion();

  useEffect(() => {
    let above: number[] = [];
    let below: number[] = [];
    let paintedMs = 0;
    let frame = 0;
    const step = (nowMs: number) => {
      frame = requestAnimationFrame(step);
      if (!canvas.current || !box.current || nowMs - paintedMs < (calm ? CALM_FRAME_MS : FRAME_MS)) return;
      paintedMs = nowMs;
      const count = barCount(canvas.current.clientWidth);
      const rest = restingBars(calm ? 'silent' : state, count, nowMs / 1000);
      const agentBands = bandsOf(agent);
      const personBands = bandsOf(person);
      above = settle(above, highest(voiceBars(agentBands, count), rest.above));
      below = settle(below, highest(voiceBars(personBands, count), rest.below));
      const { color, outlineColor, borderTopColor } = getComputedStyle(canvas.current);
      paint(canvas.current, { above, below }, { agent: color, person: outlineColor, line: borderTopColor });
      box.current.style.setProperty('--agent-level', loudness(agentBands).toFixed(3));
      box.current.style.setProperty('--person-level', loudness(personBands).toFixed(3));
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [state, calm, agent, person]);

  return (
    <div ref={box} className="horizon" data-state={state} aria-hidden="true">
      <div className="glow" />
      <canvas ref={canvas} />
    </div>
  );
}

function bandsOf(ear: RefObject<Ear | null>): number[] {
  return ear.current?.bands() ?? [];
}

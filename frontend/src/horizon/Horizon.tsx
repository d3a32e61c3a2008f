/** The line between the two voices: AURA's sun over it, the person's reflection under it. */
import { type RefObject, useRef } from 'react';
import type { AgentState } from '../agent/attributes';
import { useLevel } from '../sound/useLevel';
import { Reflection } from './Reflection';
import { Sun } from './Sun';
import { useGlide } from './sunTrail';

interface Props {
  readonly state: AgentState;
  readonly agentTrack: MediaStreamTrack | undefined;
  /** Carries the level of the person's voice. */
  readonly person: RefObject<HTMLDivElement | null>;
  readonly personSpeaks: boolean;
  readonly muted: boolean;
}

export function Horizon({ state, agentTrack, person, personSpeaks, muted }: Props) {
  const whole = useRef<HTMLDivElement>(null);
  const agent = useRef<HTMLDivElement>(null);
  const { sun, line } = useGlide(whole);
  useLevel(agentTrack, agent);
  return (
    <div className="horizon" ref={whole} aria-hidden="true">
      <Sun state={state} glide={sun} voice={agent} />
      <div className="skyline" ref={line} />
      <Reflection voice={person} speaks={personSpeaks} muted={muted} />
    </div>
  );
}

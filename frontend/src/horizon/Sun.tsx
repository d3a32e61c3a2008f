/** The sun: the agent's body, one disc behind the horizon line. */
import type { CSSProperties, RefObject } from 'react';
import type { AgentState } from '../agent/attributes';
import { poseOf } from './pose';
import { useGlint } from './useGlint';

interface Props {
  readonly state: AgentState;
  /** Moves the whole sun. */
  readonly glide: RefObject<HTMLDivElement | null>;
  /** Carries `--level`, how loud the agent speaks. */
  readonly voice: RefObject<HTMLDivElement | null>;
}

/** Nested, because each movement is one transform: gliding here, rising, breathing, the voice. */
export function Sun({ state, glide, voice }: Props) {
  const { rise, glow, motion } = poseOf(state);
  const glint = useGlint(motion === 'glint');
  return (
    <div
      className="sky"
      data-state={state}
      data-motion={motion}
      style={{ '--rise': rise, '--glow': glow } as CSSProperties}
    >
      <div className="sun-glide" ref={glide}>
        <div className="afterglow" />
        <div className="sun-rise">
          <div className="sun-breath">
            <div className="sun-voice" ref={voice}>
              <div className="corona" />
              <div className="rim" />
              <div className="disc" />
              <div className="edge" />
              <div className="glint" ref={glint} />
            </div>
          </div>
        </div>
      </div>
    </div>
  );
}

/** The person: warm ripples under the horizon line, as wide and bright as they are loud. */
import type { RefObject } from 'react';

/** Rows of light, from the line towards the person. */
const RIPPLES = [0, 1, 2, 3, 4, 5] as const;

interface Props {
  /** Carries `--level`, how loud the person speaks. */
  readonly voice: RefObject<HTMLDivElement | null>;
  readonly speaks: boolean;
  /** Nothing is heard of them: the water is still. */
  readonly muted?: boolean;
}

export function Reflection({ voice, speaks, muted = false }: Props) {
  return (
    <div className="water" data-person={muted ? 'muted' : speaks ? 'speaks' : 'quiet'}>
      <div className="ripples" ref={voice}>
        {RIPPLES.map((row) => (
          <div key={row} className="ripple" />
        ))}
      </div>
    </div>
  );
}

/** Has a voice heard before a call: the server sends how it greets, and the chosen loudspeaker plays it. */
import { useEffect, useRef, useState } from 'react';
import { canChooseLoudspeaker } from '../devices/tone';
import { words } from '../words/words';
import { type Sample, sampleUrl, unheard } from './sample';

interface Hearing {
  play(sample: Sample): void;
  readonly playing: boolean;
  /** Why the last one could not be heard, in words; empty: it could. */
  readonly problem: string;
}

export function useSample(): Hearing {
  const [playing, setPlaying] = useState(false);
  const [code, setCode] = useState<string | null>(null);
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);
  return {
    playing,
    problem: code === null ? '' : (words.sheet.unheard[code] ?? words.sheet.unheardElse),
    play: (sample) => {
      const controller = new AbortController();
      leaving.current = controller;
      setPlaying(true);
      setCode(null);
      hear(sample, controller.signal)
        .catch((error: unknown) => {
          if (!controller.signal.aborted) setCode(unheard(error));
        })
        .finally(() => setPlaying(false));
    },
  };
}

/** Returns when it is over; who shuts the settings hears no more of it. */
async function hear(sample: Sample, signal: AbortSignal): Promise<void> {
  const response = await fetch(sampleUrl(sample), { signal });
  if (!response.ok) throw await response.json();
  const url = URL.createObjectURL(await response.blob());
  const element = new Audio(url);
  signal.addEventListener('abort', () => element.pause());
  try {
    if (sample.loudspeaker && canChooseLoudspeaker()) await element.setSinkId(sample.loudspeaker);
    const over = new Promise<void>((done, failed) => {
      for (const event of ['ended', 'pause']) element.addEventListener(event, () => done());
      element.addEventListener('error', failed);
    });
    await Promise.all([element.play(), over]);
  } finally {
    URL.revokeObjectURL(url);
  }
}

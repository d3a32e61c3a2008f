/** Listens to one MediaStreamTrack and says, whenever asked, how loud it is. All ears share one AudioContext. */
import { levelOf } from './level';

export interface Ear {
  /** Between 0 and 1. */
  level(): number;
  close(): void;
}

/** Some 20 ms: shorter than a syllable, longer than the period of a low voice. */
const SAMPLES = 1024;

let shared: { readonly context: AudioContext; ears: number } | null = null;

export function openEar(track: MediaStreamTrack): Ear {
  const context = borrow();
  const analyser = new AnalyserNode(context, { fftSize: SAMPLES });
  const source = context.createMediaStreamSource(new MediaStream([track]));
  source.connect(analyser);
  const samples = new Float32Array(SAMPLES);
  // Browsers hold a context back until the first gesture.
  const resume = (): void => void context.resume();
  window.addEventListener('pointerdown', resume);
  window.addEventListener('keydown', resume);
  return {
    level() {
      analyser.getFloatTimeDomainData(samples);
      return levelOf(samples);
    },
    close() {
      window.removeEventListener('pointerdown', resume);
      window.removeEventListener('keydown', resume);
      source.disconnect();
      giveBack();
    },
  };
}

function borrow(): AudioContext {
  shared ??= { context: new AudioContext(), ears: 0 };
  shared.ears += 1;
  return shared.context;
}

function giveBack(): void {
  if (!shared) return;
  shared.ears -= 1;
  if (shared.ears > 0) return;
  void shared.context.close();
  shared = null;
}

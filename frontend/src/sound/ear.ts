/** Listens to one MediaStreamTrack and says, whenever asked, how loud its bands are. */
import { bandsOf } from './bands';

export interface Ear {
  /** Bands between 0 and 1, lowest first. */
  bands(): number[];
  close(): void;
}

const BANDS = 12;

export function openEar(track: MediaStreamTrack): Ear {
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: 1024, smoothingTimeConstant: 0.7 });
  const source = context.createMediaStreamSource(new MediaStream([track]));
  source.connect(analyser);
  const spectrum = new Uint8Array(analyser.frequencyBinCount);
  const binHz = context.sampleRate / analyser.fftSize;
  // Browsers hold a context back until the first gesture.
  const resume = (): void => void context.resume();
  window.addEventListener('pointerdown', resume);
  window.addEventListener('keydown', resume);
  return {
    bands() {
      analyser.getByteFrequencyData(spectrum);
      return bandsOf(spectrum, binHz, BANDS);
    },
    close() {
      window.removeEventListener('pointerdown', resume);
      window.removeEventListener('keydown', resume);
      source.disconnect();
      void context.close();
    },
  };
}

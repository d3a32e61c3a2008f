/** Draws out of a record's sound how loud each side is, for the waveform. */
import { peaksOf } from './peaks';

export interface Loudness {
  readonly person: readonly number[];
  readonly agent: readonly number[];
  readonly ms: number;
}

export const COLUMNS = 1_200;
/** The lowest rate that every browser decodes to: it spares memory. */
const RATE = 8_000;
/** Decoded, an hour takes 230 MB. A longer call is played without a waveform. */
const MOST_BYTES = 90_000_000;

/** Null: this browser cannot decode it, or it is too long. */
export async function loudnessOf(sound: Blob): Promise<Loudness | null> {
  if (sound.size > MOST_BYTES) return null;
  try {
    const decoded = await new OfflineAudioContext(2, 1, RATE).decodeAudioData(await sound.arrayBuffer());
    const side = (channel: number) => peaksOf(decoded.getChannelData(channel), COLUMNS);
    return { person: side(0), agent: side(1), ms: decoded.duration * 1000 };
  } catch {
    return null;
  }
}

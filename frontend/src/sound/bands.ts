/** From a spectrum to a few loudness bands between 0 and 1. Pure. */

/** The part of a voice worth drawing, in Hz. */
const LOWEST_HZ = 90;
const HIGHEST_HZ = 5_000;
/** Byte magnitudes below this are room noise. */
const FLOOR = 70;

/** `spectrum` is AnalyserNode.getByteFrequencyData, `binHz` the width of one of its bins; bands are spaced by octave. */
export function bandsOf(spectrum: Uint8Array, binHz: number, count: number): number[] {
  const ratio = HIGHEST_HZ / LOWEST_HZ;
  return Array.from({ length: count }, (_, band) => {
    const from = Math.floor((LOWEST_HZ * ratio ** (band / count)) / binHz);
    const to = Math.max(from + 1, Math.ceil((LOWEST_HZ * ratio ** ((band + 1) / count)) / binHz));
    const slice = spectrum.subarray(from, to);
    const peak = slice.reduce((most, value) => Math.max(most, value), 0);
    return Math.max(0, (peak - FLOOR) / (255 - FLOOR));
  });
}

export function loudness(bands: readonly number[]): number {
  return bands.length === 0 ? 0 : bands.reduce((sum, band) => sum + band, 0) / bands.length;
}

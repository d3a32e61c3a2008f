/** From samples to the one figure that is drawn of a voice: its level between 0 and 1. Pure. */

/** RMS levels of a voice in dB below full scale: what counts as nothing, and what as loud. */
const QUIET_DB = -50;
const LOUD_DB = -14;
/** How fast the drawn level follows: at once upwards, gently down. Time constants in milliseconds. */
const ATTACK_MS = 60;
const RELEASE_MS = 250;

/** @param samples of AnalyserNode.getFloatTimeDomainData; full scale is 1. */
export function levelOf(samples: Float32Array): number {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length);
  if (power === 0) return 0;
  const db = 10 * Math.log10(power);
  return Math.min(1, Math.max(0, (db - QUIET_DB) / (LOUD_DB - QUIET_DB)));
}

/** The level to draw `elapsedMs` after `shown` was drawn: an envelope follower of the first order. */
export function follow(shown: number, heard: number, elapsedMs: number): number {
  const constant = heard > shown ? ATTACK_MS : RELEASE_MS;
  const next = heard + (shown - heard) * Math.exp(-Math.max(0, elapsedMs) / constant);
  return Math.abs(next - heard) < 0.005 ? heard : next;
}

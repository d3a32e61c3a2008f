/** Whether somebody speaks, told by the level of their microphone: a noise gate with hysteresis and hold. Pure. */

export interface VoiceGate {
  readonly open: boolean;
  /** Since when the level has said otherwise; null: it agrees. */
  readonly doubtedMs: number | null;
}

export const SHUT: VoiceGate = { open: false, doubtedMs: null };

const OPENS_AT = 0.28;
const SHUTS_AT = 0.14;
/** A click is shorter than a syllable. */
const OPENS_AFTER_MS = 120;
/** Between two words the gate stays open. */
const SHUTS_AFTER_MS = 700;

export function nextGate(gate: VoiceGate, level: number, nowMs: number): VoiceGate {
  const agrees = gate.open ? level > SHUTS_AT : level < OPENS_AT;
  if (agrees) return gate.doubtedMs === null ? gate : { ...gate, doubtedMs: null };
  const doubtedMs = gate.doubtedMs ?? nowMs;
  if (nowMs - doubtedMs < (gate.open ? SHUTS_AFTER_MS : OPENS_AFTER_MS)) return { ...gate, doubtedMs };
  return { open: !gate.open, doubtedMs: null };
}

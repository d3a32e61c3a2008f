/** Two short notes, to hear whether a loudspeaker is the right one. */

const NOTES_HZ = [440, 660] as const;
const NOTE_S = 0.22;
const LOUD = 0.2;
/** Within which a note begins and ends, so that it does not click. */
const RAMP_S = 0.03;

/** Plays them on a loudspeaker; empty: the system's own. Rejects where the browser cannot. */
export async function playTone(loudspeakerId: string): Promise<void> {
  const context = new AudioContext();
  const out = context.createMediaStreamDestination();
  const element = new Audio();
  try {
    if (loudspeakerId && canChooseLoudspeaker()) await element.setSinkId(loudspeakerId);
    element.srcObject = out.stream;
    await element.play();
    const begins = context.currentTime + 0.1;
    for (const [at, hz] of NOTES_HZ.entries()) sound(context, out, hz, begins + at * NOTE_S);
    await new Promise((done) => setTimeout(done, (0.3 + NOTES_HZ.length * NOTE_S) * 1000));
  } finally {
    element.srcObject = null;
    await context.close();
  }
}

/** Safari plays on the system's own loudspeaker only. */
export function canChooseLoudspeaker(): boolean {
  return 'setSinkId' in HTMLMediaElement.prototype;
}

function sound(context: AudioContext, out: AudioNode, hz: number, beginsS: number): void {
  const note = new OscillatorNode(context, { frequency: hz });
  const loudness = new GainNode(context, { gain: 0 });
  loudness.gain.setValueAtTime(0, beginsS);
  loudness.gain.linearRampToValueAtTime(LOUD, beginsS + RAMP_S);
  loudness.gain.setValueAtTime(LOUD, beginsS + NOTE_S - RAMP_S);
  loudness.gain.linearRampToValueAtTime(0, beginsS + NOTE_S);
  note.connect(loudness).connect(out);
  note.start(beginsS);
  note.stop(beginsS + NOTE_S);
}

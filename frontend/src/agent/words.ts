/** The words for what the agent does and decides. */
import type { AgentState, Figures, Shown } from './attributes';

export const STATE_WORDS: Record<AgentState, { title: string; hint: string }> = {
  absent: { title: 'Waiting for AURA', hint: 'You may already speak: what you say is kept for it.' },
  preparing: { title: 'Getting ready', hint: 'AURA is here and is setting up.' },
  listening: { title: 'Listening', hint: 'Say something, or type below.' },
  thinking: { title: 'Thinking', hint: 'You were heard.' },
  speaking: { title: 'Speaking', hint: 'Interrupt whenever you like.' },
  watching: { title: 'Watching', hint: 'Your picture arrives. Say something, or type below.' },
  silent: { title: 'Stayed silent', hint: 'AURA found nothing that needed an answer.' },
};

/** What the person may do, who shows a picture or does not. */
export function listeningHint(unseen: boolean): string {
  return unseen ? 'AURA hears you, but cannot see yet.' : STATE_WORDS.listening.hint;
}

/** What the person may do while they are watched; it says what is seen of them. */
export function watchingHint(shown: Shown | null): string {
  if (!shown) return STATE_WORDS.watching.hint;
  return `AURA sees your ${shown}. Say something, or type below.`;
}

/** An answer that takes longer is late on any machine that is not overloaded. Seconds. */
const LONG_S = 6;

/** What the person waits for, and for how long by now. */
export function thinkingHint(seconds: number, typed = false): string {
  if (seconds >= LONG_S) return `This machine is slow: still working on the answer (${seconds} s).`;
  const hint = typed ? 'Your message is here.' : STATE_WORDS.thinking.hint;
  return seconds > 0 ? `${hint} ${seconds} s` : hint;
}

const DECISIONS: Readonly<Record<string, string>> = {
  turn: 'Your turn ended',
  backchannel: 'Only a nod',
  noise: 'Only noise',
  silent: 'Stayed silent',
  interrupted: 'You interrupted',
  continued: 'You went on',
  resumed: 'Went on speaking',
  refused: 'A setting was not taken',
  error: 'Something failed',
  spoke_up: 'Spoke up',
  offer_dropped: 'Kept a remark to itself',
  proactive: 'Speaks up, or not',
};

const STAGES: Readonly<Record<string, string>> = {
  endpointing: 'Sure that you had finished',
  asr: 'Making out words',
  aura: 'First words of the answer',
  tts: 'First sound of the voice',
  qwen3_tts: 'First frame of the voice',
  code2wav: 'First sound of the voice',
  wire: 'Between agent and pipeline',
  playback: 'Into the room',
};

/** What was waited for in a stage of a turn; that of a pipeline not known here has its own name. */
export function stageWords(stage: string): string {
  return STAGES[stage] ?? stage;
}

const FIGURES: Readonly<Record<string, (time: string) => string>> = {
  sound_ms: (time) => `${time} of sound`,
  over_agent_ms: (time) => `${time} over AURA`,
  since_pause_ms: (time) => `decided ${time} after it`,
  label_ms: (time) => `made out ${time} after it`,
  label_audio_ms: (time) => `${time} of audio read`,
  waited_ms: (time) => `after ${time}`,
  age_ms: (time) => `${time} after it was seen`,
};

/** The numbers behind a decision, in words; a figure that is not known here has its own name. */
export function figureWords(figures: Figures): readonly string[] {
  return Object.entries(figures)
    .filter(([name, figure]) => !(name === 'over_agent_ms' && figure === 0))
    .map(([name, figure]) => {
      const words = FIGURES[name];
      return words && typeof figure === 'number' ? words(`${Math.round(figure)} ms`) : `${name} ${figure}`;
    });
}

export function decisionWords(what: string): string {
  return DECISIONS[what] ?? what;
}

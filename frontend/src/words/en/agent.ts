/** What the agent does and decides. */
import type { AgentState, Shown } from '../../agent/attributes';

type Table = Readonly<Record<string, string>>;

const OR_TYPE = 'Say something, or type below.';

export const agent = {
  states: {
    absent: { title: 'Waiting for AURA', hint: 'You may already speak: what you say is kept for it.' },
    preparing: { title: 'Getting ready', hint: 'AURA is here and is setting up.' },
    listening: { title: 'Listening', hint: OR_TYPE },
    thinking: { title: 'Thinking', hint: 'You were heard.' },
    speaking: { title: 'Speaking', hint: 'Interrupt whenever you like.' },
    writing: { title: 'Writing', hint: 'Interrupt whenever you like.' },
    watching: { title: 'Watching', hint: `Your picture arrives. ${OR_TYPE}` },
    silent: { title: 'Stayed silent', hint: 'AURA found nothing that needed an answer.' },
  } satisfies Record<AgentState, { title: string; hint: string }>,
  unseen: 'AURA hears you, but has no eyes here: nobody looks at your picture.',
  watches: {
    camera: `AURA sees your camera. ${OR_TYPE}`,
    screen: `AURA sees your screen. ${OR_TYPE}`,
  } satisfies Record<Shown, string>,
  typed: 'Your message is here.',
  waited: (hint: string, seconds: number) => `${hint} ${seconds} s`,
  slow: (seconds: number) => `This machine is slow: still working on the answer (${seconds} s).`,
  /** By `what.reason` of a decision; what stands here comes before the agent's own English sentence. */
  reasons: {} as Table,
  /** Of a setting or a picture, by the reason or the field that is refused; else the agent's own English sentence is shown. */
  refusals: {} as Table,
  stages: {
    endpointing: 'Sure that you had finished',
    asr: 'Making out words',
    vision: 'Looking at your picture',
    aura: 'First words of the answer',
    tts: 'First sound of the voice',
    qwen3_tts: 'First frame of the voice',
    code2wav: 'First sound of the voice',
    wire: 'Handed on inside AURA',
    playback: 'On its way to you',
  } as Table,
  /** What happened in a turn, in front of the time. */
  moments: {
    speech_end: 'silence',
    committed: 'complete',
    heard: 'made out',
    asked: 'asked',
    asr_began: 'recogniser begun',
    vision_began: 'looking begun',
    aura_began: 'answer begun',
    tts_began: 'voice begun',
    qwen3_tts_began: 'voice begun',
    qwen3_tts_first: 'first frame',
    code2wav_began: 'sound begun',
    first_text: 'first word',
    first_pcm: 'first sound',
    first_sent: 'sent',
    sounded: 'arrived',
    played: 'played',
  } as Table,
  /** By `figure.value`. */
  judgements: {
    'sound_over.yes': 'sounded finished',
    'sound_over.no': 'sounded unfinished',
    'words_over.yes': 'its words are a sentence',
    'words_over.no': 'its words are no sentence',
  } as Table,
  figures: {
    sound_ms: (time) => `${time} of sound`,
    over_agent_ms: (time) => `${time} over AURA`,
    since_pause_ms: (time) => `decided ${time} after it`,
    label_ms: (time) => `made out ${time} after it`,
    label_audio_ms: (time) => `${time} of audio read`,
    waited_ms: (time) => `after ${time}`,
    age_ms: (time) => `${time} after it was seen`,
  } as Readonly<Record<string, (time: string) => string>>,
};

/** What the stage says: of the agent, of the person, or of what is wrong, whichever matters most. Pure. */
import type { AgentState } from '../agent/attributes';
import type { Words } from '../words/words';
import type { Trouble } from './trouble';

export interface StageSigns {
  /** What the agent does, and what is said of it. */
  readonly state: AgentState;
  readonly title: string;
  readonly hint: string;
  readonly trouble: Trouble | null;
  /** Why the microphone is off; null: it is on. */
  readonly off: MicrophoneOff | null;
  /** The person speaks, whether or not the microphone is on. */
  readonly personSpeaks: boolean;
  /** They have no keys. */
  readonly touch: boolean;
}

/** Switched off, not held just now by who holds it to talk, not used by who only writes, or not to be had here. */
export type MicrophoneOff = 'muted' | 'released' | 'unused' | 'none';

export interface StageView {
  readonly title: string;
  /** Empty: nothing to add. */
  readonly hint: string;
  /** Whose colour the title has. */
  readonly of: 'agent' | 'person' | 'nobody';
  /** Told to screen readers; empty where the agent's own voice says it, or the person knows. */
  readonly announced: string;
  readonly windowTitle: string;
}

/** In which the agent does something. */
const BUSY: readonly AgentState[] = ['thinking', 'speaking', 'writing', 'watching'];

/** In which the person has the floor. */
const OPEN: readonly AgentState[] = ['listening', 'watching', 'silent'];

export function stageView(signs: StageSigns, words: Pick<Words, 'about' | 'stage'>): StageView {
  const { state, trouble, off, personSpeaks } = signs;
  const { stage } = words;
  const doing = (title: string) => stage.titleDoing(title, words.about.name);
  if (trouble?.title) {
    const { title } = trouble;
    return { title, hint: '', of: 'nobody', announced: title, windowTitle: doing(title) };
  }
  const released = signs.touch ? stage.releasedHintOnTouch : stage.releasedHint;
  if ((off === 'muted' || off === 'released') && personSpeaks) {
    const title = stage.mutedSpeaking;
    const hint = off === 'released' ? released : stage.mutedSpeakingHint;
    return { title, hint, of: 'person', announced: `${title}. ${hint}`, windowTitle: doing(title) };
  }
  const open = OPEN.includes(state);
  if (off && open) {
    const titles = {
      muted: stage.microphoneOff,
      released: stage.microphoneOff,
      unused: stage.textOnly,
      none: stage.typing,
    };
    const title = titles[off];
    const hints = {
      muted: stage.microphoneOffHint,
      released,
      unused: stage.textOnlyHint,
      none: stage.typingHint,
    };
    const hint = state === 'silent' ? signs.hint : hints[off];
    return { title, hint, of: 'nobody', announced: title, windowTitle: doing(title) };
  }
  if (personSpeaks && open) {
    return {
      title: stage.hearing,
      hint: '',
      of: 'person',
      announced: '',
      windowTitle: stage.titleOpen(words.about.name),
    };
  }
  return {
    title: signs.title,
    hint: hintOf(signs, released, stage),
    of: BUSY.includes(state) ? 'agent' : 'nobody',
    announced: state === 'speaking' ? '' : state === 'silent' ? `${signs.title}. ${signs.hint}` : signs.title,
    windowTitle: state === 'listening' ? stage.titleOpen(words.about.name) : doing(signs.title),
  };
}

/** Who cannot be heard interrupts by writing, and does not speak ahead. */
function hintOf({ state, hint, off }: StageSigns, released: string, stage: Words['stage']): string {
  if (!off) return hint;
  if (state === 'absent' || state === 'preparing') return stage.earlyOffHint;
  if (state !== 'speaking') return hint;
  return off === 'released' ? released : stage.interruptOffHint;
}

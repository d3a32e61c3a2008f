/** Who speaks, and what the agent is doing. */
import { useLocalParticipant, useTracks } from '@livekit/components-react';
import { Track } from 'livekit-client';
import { useEffect, useRef, useState } from 'react';
import type { AgentView } from '../agent/useAgent';
import { decisionReason, listeningHint, thinkingHint, watchingHint } from '../agent/words';
import type { LoggedDecision } from '../conversation/conversation';
import { typingOnly } from '../devices/typingOnly';
import { Horizon } from '../horizon/Horizon';
import { useLevel } from '../sound/useLevel';
import { useMediaTrack } from '../sound/useMediaTrack';
import { useOwnVoice } from '../sound/useOwnVoice';
import type { TalkMode } from '../talk/holdToTalk';
import { sentence } from '../ui/format';
import { useHeldFor } from '../ui/useHeldFor';
import { useSecondsOf } from '../ui/useSecondsOf';
import { useTouch } from '../ui/useTouch';
import { words } from '../words/words';
import { type MicrophoneOff, stageView } from './stageView';
import { stageState, type Trouble } from './trouble';

/** What it means that the microphone is off, by how the person talks. */
const OFF: Record<TalkMode, MicrophoneOff> = { open: 'muted', held: 'released', off: 'unused' };

/** For which a microphone may be on its way into the call. */
const OPENING_MS = 3_000;

interface Props {
  readonly agent: AgentView;
  readonly trouble: Trouble | null;
  readonly decision: LoggedDecision | undefined;
  /** What the person said last was written. */
  readonly typed: boolean;
  readonly mode: TalkMode;
  /** Whether one came into the call when it began, as soon as that is known. */
  readonly microphone: Promise<boolean>;
}

export function Stage({ agent, trouble, decision, typed, mode, microphone }: Props) {
  const { microphoneTrack, isCameraEnabled, isScreenShareEnabled } = useLocalParticipant();
  const voices = useTracks([Track.Source.Microphone], { onlySubscribed: true });
  const voice = voices.find(({ participant }) => participant.isAgent);
  const { shown: state, drawn } = stageState(agent.state, trouble);
  const told = words.agent.states[state];
  const person = useRef<HTMLDivElement>(null);
  const personSpeaks = useLevel(useOwnVoice(microphoneTrack), person);
  const off = useMicrophoneOff(mode, microphone);
  const touch = useTouch();
  const waited = useSecondsOf(state === 'thinking');
  const unseen = agent.sees === false && (isCameraEnabled || isScreenShareEnabled);
  const idle = state === 'watching' ? watchingHint(agent.shown) : told.hint;
  const still = state === 'listening' ? listeningHint(unseen) : (reason(agent, decision) ?? idle);
  const hint = state === 'thinking' ? thinkingHint(waited, typed) : still;
  const view = stageView({ state, title: told.title, hint, trouble, off, personSpeaks, touch }, words);
  useWindowTitle(view.windowTitle);
  return (
    <section className="stage" aria-label={words.call.stage}>
      <Horizon
        state={drawn}
        agentTrack={useMediaTrack(voice?.publication)}
        person={person}
        personSpeaks={personSpeaks && off !== 'unused' && off !== 'none'}
        muted={off !== null}
      />
      <div className="state" data-testid="state" data-state={state} data-of={view.of}>
        <h2>{view.title}</h2>
        {!trouble?.title && <p data-testid="hint">{view.hint}</p>}
      </div>
      <p className="unseen" role="status" data-testid="announced">
        {view.announced}
      </p>
    </section>
  );
}

/** Why the microphone is off; one that is still being opened is not. */
function useMicrophoneOff(mode: TalkMode, comes: Promise<boolean>): MicrophoneOff | null {
  const { microphoneTrack, isMicrophoneEnabled } = useLocalParticipant();
  const late = useHeldFor(!microphoneTrack, OPENING_MS);
  const [refused, setRefused] = useState(false);
  useEffect(() => {
    let gone = false;
    void comes.then((came) => !gone && setRefused(!came));
    return () => {
      gone = true;
    };
  }, [comes]);
  const missing = late || refused;
  if (isMicrophoneEnabled || (!microphoneTrack && !missing)) return null;
  return typingOnly() && mode !== 'off' ? 'none' : OFF[mode];
}

function useWindowTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    return () => {
      document.title = before;
    };
  }, []);
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** Silence is a decision of the agent's own: show why, not only that. */
function reason(agent: AgentView, decision: LoggedDecision | undefined): string | null {
  if (agent.state !== 'silent' || decision?.what !== 'silent') return null;
  return sentence(decisionReason(decision)) || null;
}

/** Who speaks, and what the agent is doing. */
import { useLocalParticipant, useTracks } from '@livekit/components-react';
import { Track } from 'livekit-client';
import type { AgentView } from '../agent/useAgent';
import { listeningHint, STATE_WORDS, thinkingHint, watchingHint } from '../agent/words';
import type { LoggedDecision } from '../conversation/conversation';
import { Horizon } from '../horizon/Horizon';
import { useMediaTrack } from '../sound/useMediaTrack';
import { sentence } from '../ui/format';
import { useSecondsOf } from '../ui/useSecondsOf';
import { stageState, type Trouble } from './trouble';

interface Props {
  readonly agent: AgentView;
  readonly trouble: Trouble | null;
  readonly decision: LoggedDecision | undefined;
  /** What the person said last was written. */
  readonly typed: boolean;
}

export function Stage({ agent, trouble, decision, typed }: Props) {
  const { microphoneTrack, isMicrophoneEnabled, isCameraEnabled, isScreenShareEnabled } = useLocalParticipant();
  const voices = useTracks([Track.Source.Microphone], { onlySubscribed: true });
  const voice = voices.find(({ participant }) => participant.isAgent);
  const { shown: state, drawn } = stageState(agent.state, trouble);
  const words = STATE_WORDS[state];
  const muted = !isMicrophoneEnabled && state === 'listening';
  const waited = useSecondsOf(state === 'thinking');
  const unseen = agent.sees === false && (isCameraEnabled || isScreenShareEnabled);
  const idle = state === 'watching' ? watchingHint(agent.shown) : words.hint;
  const still = state === 'listening' ? listeningHint(unseen) : (reason(agent, decision) ?? idle);
  const hint = state === 'thinking' ? thinkingHint(waited, typed) : still;
  return (
    <section className="stage" aria-label="Who speaks">
      <Horizon
        state={drawn}
        agentTrack={useMediaTrack(voice?.publication)}
        personTrack={useMediaTrack(microphoneTrack)}
      />
      <div className="state" data-testid="state" data-state={state}>
        <h2>{trouble?.title ?? words.title}</h2>
        {!trouble?.title && (
          <p data-testid="hint">{muted ? 'Your microphone is off. Press M to switch it on, or type.' : hint}</p>
        )}
      </div>
    </section>
  );
}

/** Silence is a decision of the agent's own: show why, not only that. */
function reason(agent: AgentView, decision: LoggedDecision | undefined): string | null {
  if (agent.state !== 'silent' || decision?.what !== 'silent') return null;
  return decision.text ? sentence(decision.text) : null;
}

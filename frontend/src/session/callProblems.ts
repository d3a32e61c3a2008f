/** Why a call could not be connected, or ended: what LiveKit's library says, in words for the person. */
import { ConnectionError, DisconnectReason } from 'livekit-client';
import { words } from '../words/words';
import { deviceProblem, type Problem } from './problems';

export function connectProblem(error: unknown): Problem {
  const detail = error instanceof ConnectionError ? `${error.reasonName}: ${error.message}` : '';
  return {
    code: 'connect',
    title: words.trouble.notConnected,
    advice: words.trouble.notConnectedAdvice,
    technical: words.trouble.notConnectedTechnical(detail),
  };
}

/** The code of an end that the agent has made: it was asked to, and nothing is wrong. */
export const GOODBYE = 'goodbye';

/**
 * Why the call ended without the person leaving; null where they have left.
 *
 * @param pipelineGone the agent had lost its pipeline when it was last heard of.
 * @param goodbye the agent was ending the call when it was last heard of.
 */
export function endProblem(
  reason: DisconnectReason | undefined,
  pipelineGone: boolean,
  goodbye: boolean,
): Problem | null {
  const told = words.trouble;
  const code = 'ended';
  switch (reason) {
    case DisconnectReason.CLIENT_INITIATED:
      return null;
    case DisconnectReason.DUPLICATE_IDENTITY:
      return { code, title: told.elsewhere, advice: told.elsewhereAdvice, again: told.bringHere };
    case DisconnectReason.ROOM_DELETED:
    case DisconnectReason.PARTICIPANT_REMOVED:
      if (goodbye) return { code: GOODBYE, title: told.goodbye, advice: told.endedAdvice, again: told.callAgain };
      return pipelineGone
        ? {
            code,
            title: told.pipelineStopped,
            advice: told.pipelineStoppedAdvice,
            technical: told.pipelineStoppedTechnical,
            again: told.callAgain,
          }
        : {
            code,
            title: told.ended,
            advice: told.endedAdvice,
            technical: told.endedTechnical,
            again: told.callAgain,
          };
    case DisconnectReason.SERVER_SHUTDOWN:
      return { code, title: told.restarting, advice: told.restartingAdvice };
    default:
      return { code, title: told.lost, advice: told.lostAdvice };
  }
}

/** Unplugged in the call, or taken away: another one is used by itself where there is one. */
export function deviceLost(device: 'microphone' | 'camera'): Problem {
  const told = words.call.lost;
  return { code: deviceProblem(device, null).code, title: told.titles[device], advice: told.advice };
}

export function messageNotSent(): Problem {
  return { code: 'chat', title: words.trouble.notSent, advice: words.trouble.notSentAdvice };
}

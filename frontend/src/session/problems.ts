/** Everything that can go wrong, in words for the person: what happened and what to do next. */
import { ConnectionError, DisconnectReason, MediaDeviceFailure } from 'livekit-client';

export interface Problem {
  /** Stable name; a newer problem with the same code replaces the older one. */
  readonly code: string;
  readonly title: string;
  readonly advice: string;
  /** What trying again is called here, if not that. */
  readonly again?: string;
}

export type Device = 'microphone' | 'camera' | 'screen';

const NAMES: Record<Device, string> = { microphone: 'microphone', camera: 'camera', screen: 'screen' };
const KEYS: Record<Device, string> = { microphone: 'press M', camera: 'press V', screen: 'share again' };

export function deviceProblem(device: Device, error: unknown): Problem {
  const name = NAMES[device];
  const code = `device-${device}`;
  switch (MediaDeviceFailure.getFailure(error)) {
    case MediaDeviceFailure.PermissionDenied:
      return {
        code,
        title: `The browser does not allow the ${name}`,
        advice: `Allow it in the address bar’s site settings, then ${KEYS[device]}. You can type meanwhile.`,
      };
    case MediaDeviceFailure.NotFound:
      return {
        code,
        title: `No ${name} was found`,
        advice: `Plug one in, then ${KEYS[device]}. You can type meanwhile.`,
      };
    case MediaDeviceFailure.DeviceInUse:
      return {
        code,
        title: `The ${name} is in use`,
        advice: `Close the other program that uses it, then ${KEYS[device]}.`,
      };
    default:
      return { code, title: `The ${name} could not be started`, advice: `Choose another one, then ${KEYS[device]}.` };
  }
}

export const INSECURE_PAGE: Problem = {
  code: 'insecure',
  title: 'This address cannot use microphones',
  advice:
    'Browsers allow them only on https:// addresses and on localhost. Open the page there. You can type meanwhile.',
};

export const PAGE_SERVER_UNREACHABLE: Problem = {
  code: 'token',
  title: 'The page cannot reach its server',
  advice: 'AURA may have been stopped. See that your network is up and that AURA runs (infra/up), then try again.',
};

export function tokenRefused(status: number, message: string | null): Problem {
  return {
    code: 'token',
    title: message ?? `The server refused the call (status ${status})`,
    advice: 'Try again in a moment. If it stays so, the log of the web server says why.',
  };
}

/** `error`: what the agent answered, who names the field that it refuses. */
export function personaProblem(error: unknown): Problem {
  const why = error instanceof Error ? error.message : '';
  return { code: 'persona', title: 'That could not be changed', advice: why || 'Try again in a moment.' };
}

export function connectProblem(error: unknown): Problem {
  const detail = error instanceof ConnectionError ? ` (${error.reasonName})` : '';
  return {
    code: 'connect',
    title: `The call could not be connected${detail}`,
    advice: 'A firewall or VPN may block it, or the media server is down. Check both, then try again.',
  };
}

export const MESSAGE_NOT_SENT: Problem = {
  code: 'chat',
  title: 'Your message was not sent',
  advice: 'It is still in the box. Send it again when the connection is back.',
};

const PIPELINE_STOPPED: Problem = {
  code: 'ended',
  title: 'AURA’s speech server has stopped',
  advice:
    'The models that hear and answer broke down, and the call with them. Call again in a moment. If that fails, ' +
    'whoever runs AURA finds the reason at the end of .aura/logs/pipeline.log, and starts it with infra/up.',
  again: 'Call again',
};

/**
 * Why the call ended without the person leaving; null where nothing is wrong.
 *
 * @param pipelineGone the agent had lost its pipeline when it was last heard of.
 */
export function endProblem(reason: DisconnectReason | undefined, pipelineGone: boolean): Problem | null {
  switch (reason) {
    case DisconnectReason.CLIENT_INITIATED:
      return null;
    case DisconnectReason.DUPLICATE_IDENTITY:
      return {
        code: 'ended',
        title: 'The call goes on elsewhere',
        advice: 'It was opened in another tab or window.',
        again: 'Bring it here',
      };
    case DisconnectReason.ROOM_DELETED:
    case DisconnectReason.PARTICIPANT_REMOVED:
      if (pipelineGone) return PIPELINE_STOPPED;
      return {
        code: 'ended',
        title: 'The call was ended by the server',
        advice: 'Call again whenever you like. If that fails, whoever runs AURA must start it: infra/up.',
        again: 'Call again',
      };
    case DisconnectReason.SERVER_SHUTDOWN:
      return { code: 'ended', title: 'The server is restarting', advice: 'Wait a few seconds, then try again.' };
    default:
      return {
        code: 'ended',
        title: 'The connection was lost',
        advice: 'Check your network, then try again: the call waits a little for you.',
      };
  }
}

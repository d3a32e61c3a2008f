/** Everything that can go wrong, in words for the person: what happened and what to do next. */
import { words } from '../words/words';
import { wantedAccess } from './access';

export interface Problem {
  /** Stable name; a newer problem with the same code replaces the older one. */
  readonly code: string;
  readonly title: string;
  readonly advice: string;
  /** In place of it for who taps and has no keys, if that says it otherwise. */
  readonly adviceOnTouch?: string;
  /** What only helps whoever runs AURA; it is folded away. */
  readonly technical?: string;
  /** What trying again is called here, if not that. */
  readonly again?: string;
  /** It matters for a moment only: the message goes by itself. */
  readonly passes?: boolean;
}

export type Device = 'microphone' | 'camera' | 'screen' | 'loudspeaker';

export function deviceProblem(device: Device, error: unknown): Problem {
  const told = words.problems.device;
  const problem = (title: string, advise: (device: Device, touch: boolean) => string): Problem => ({
    code: `device-${device}`,
    title,
    advice: advise(device, false),
    adviceOnTouch: advise(device, true),
  });
  switch (error instanceof Error ? error.name : '') {
    case 'NotAllowedError':
      return problem(told.denied(device), told.deniedAdvice);
    case 'NotFoundError':
      return problem(told.missing(device), told.missingAdvice);
    case 'NotReadableError':
      return problem(told.taken(device), told.takenAdvice);
    default:
      return problem(told.failed(device), told.failedAdvice);
  }
}

export function insecurePage(): Problem {
  return { code: 'insecure', title: words.problems.insecure, advice: words.problems.insecureAdvice };
}

export function pageServerUnreachable(): Problem {
  const { serverGone: title, serverGoneAdvice: advice, serverGoneTechnical: technical } = words.problems;
  return { code: 'token', title, advice, technical };
}

export function signInFailed(): Problem {
  const { signIn: title, problems } = words.door.access;
  return { code: 'sign_in', title, advice: problems.other ?? '' };
}

/** `reason`, `message`: the code and the sentence of the server's answer, where it gave one. */
export function tokenRefused(status: number, reason: string | null, message: string | null): Problem {
  return {
    code: wantedAccess(reason) ?? 'token',
    title: words.problems.refusals[reason ?? ''] ?? words.problems.refused,
    advice: words.problems.refusalAdvice[reason ?? ''] ?? words.problems.refusedAdvice,
    technical: words.problems.refusedTechnical(status, message ?? ''),
  };
}

/** Why the server gave no token: in the language of the page where it has words for it, else as the server told it. */
export function refusalWords(reason: string | null, message: string | null): string {
  return words.problems.refusals[reason ?? ''] ?? message ?? '';
}

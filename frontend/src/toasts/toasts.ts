/** The open messages to the person: newest of each code, until dismissed or withdrawn. Pure. */
import type { Problem } from '../session/problems';

export interface Toast extends Problem {
  readonly id: number;
}

export type ToastEvent =
  | { readonly type: 'report'; readonly problem: Problem }
  | { readonly type: 'withdraw'; readonly code: string }
  /** What they were about is over. */
  | { readonly type: 'cleared' };

const SHOWN = 3;

export function nextToasts(toasts: readonly Toast[], event: ToastEvent): readonly Toast[] {
  switch (event.type) {
    case 'report': {
      const id = (toasts.at(-1)?.id ?? 0) + 1;
      return [...without(toasts, event.problem.code), { ...event.problem, id }].slice(-SHOWN);
    }
    case 'withdraw':
      return without(toasts, event.code);
    case 'cleared':
      return toasts.length > 0 ? [] : toasts;
  }
}

function without(toasts: readonly Toast[], code: string): readonly Toast[] {
  return toasts.some((toast) => toast.code === code) ? toasts.filter((toast) => toast.code !== code) : toasts;
}

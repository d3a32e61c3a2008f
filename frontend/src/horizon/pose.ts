/** How the sun, the agent's body, stands over the horizon in each of its states. Pure. */
import type { AgentState } from '../agent/attributes';

/** What it does by itself while it stands there. */
export type Motion = 'still' | 'breath' | 'rim' | 'voice' | 'glint' | 'dawn';

export interface Pose {
  /** Share of the disc above the line; at 0 it has just set. */
  readonly rise: number;
  /** Of the light around it, between 0 and 1. */
  readonly glow: number;
  readonly motion: Motion;
}

const POSES: Readonly<Record<AgentState, Pose>> = {
  absent: { rise: -0.06, glow: 0.16, motion: 'still' },
  preparing: { rise: 0.12, glow: 0.55, motion: 'dawn' },
  listening: { rise: 1 / 3, glow: 0.6, motion: 'breath' },
  thinking: { rise: 1 / 2, glow: 0.5, motion: 'rim' },
  speaking: { rise: 0.56, glow: 1, motion: 'voice' },
  writing: { rise: 0.53, glow: 0.8, motion: 'rim' },
  watching: { rise: 0.4, glow: 0.6, motion: 'glint' },
  silent: { rise: 0.2, glow: 0.08, motion: 'still' },
};

export function poseOf(state: AgentState): Pose {
  return POSES[state];
}

/** Makes the time axis that beats, steps, guarantees and marks share: by beats if the run has them, else by steps. */

import type { BeatPlan } from "./beats.ts";
import type { BeatAxis } from "./beat-axis.ts";
import { beatAxis, namelessAxis } from "./beat-axis.ts";
import type { PlayerStore } from "./store.ts";
import type { Axis } from "./timeline.ts";
import { axisOf } from "./timeline.ts";

/** px left and right of the axis, and the px of width below which it is narrow. */
export const defaults = { beside: 24, besideNarrow: 16, narrow: 560 };

/** The plan of the branch on show; null if it has not arrived or has no beats. */
export function planOf(store: Pick<PlayerStore, "frame"> | undefined): BeatPlan | null {
  const plan = store?.frame?.plan ?? null;
  return plan === null || plan.beats.length === 0 ? null : plan;
}

export function isNarrow(width: number): boolean {
  return width < defaults.narrow;
}

/**
 * The axis for a width in px. `setting`: index of the type in which names of beats are set (`settings` in
 * beat-axis.ts).
 */
export function axisFor(store: PlayerStore, width: number): Axis & Omit<BeatAxis, "segments"> {
  const beside = isNarrow(width) ? defaults.besideNarrow : defaults.beside;
  const [left, right] = [beside, Math.max(beside + 1, width - beside)];
  const plan = planOf(store);
  if (plan === null) return { ...axisOf(store.lines.branches.values(), left, right), setting: 0, breaks: "marks", fits: true };
  const end = Math.max(plan.steps, store.newest);
  if (isNarrow(width)) return { left, right, end, ...namelessAxis(plan.beats, end, left, right) };
  return { left, right, end, ...beatAxis(plan.beats, end, left, right, Object.values(store.info?.first_broken ?? {})) };
}

/**
 * The number of steps of the run: that of its plan if this was computed to the run's end, else of the steps made so
 * far.
 */
export function stepsOf(store: PlayerStore): number {
  const plan = planOf(store);
  return plan?.complete && store.canGrow ? Math.max(plan.steps, store.newest) : store.newest;
}

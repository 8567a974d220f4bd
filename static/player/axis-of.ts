/** The axis that beats, steps, guarantees and marks share: divided by beats if the run has a plan, else by steps. */

import type { BeatPlan } from "./beats.ts";
import type { BeatAxis } from "./beat-axis.ts";
import { beatAxis, namelessAxis } from "./beat-axis.ts";
import type { PlayerStore } from "./store.ts";
import type { Axis } from "./timeline.ts";
import { axisOf } from "./timeline.ts";

/** px left and right of the axis, and the px of width below which it is narrow. */
export const defaults = { beside: 24, besideNarrow: 16, narrow: 560 };

/** The plan of the branch on show; null while there is none, or if it has no beats. */
export function planOf(store: Pick<PlayerStore, "frame"> | undefined): BeatPlan | null {
  const plan = store?.frame?.plan ?? null;
  return plan === null || plan.beats.length === 0 ? null : plan;
}

export function isNarrow(width: number): boolean {
  return width < defaults.narrow;
}

/** The axis for a width in px. `setting`: how the names of the beats are set (`beat-axis.ts`). */
export function axisFor(store: PlayerStore, width: number): Axis & Omit<BeatAxis, "segments"> {
  const beside = isNarrow(width) ? defaults.besideNarrow : defaults.beside;
  const [left, right] = [beside, Math.max(beside + 1, width - beside)];
  const plan = planOf(store);
  if (plan === null) return { ...axisOf(store.lines.branches.values(), left, right), setting: 0, breaks: "marks", fits: true };
  const end = Math.max(plan.steps, store.newest);
  if (isNarrow(width)) return { left, right, end, ...namelessAxis(plan.beats, end, left, right) };
  return { left, right, end, ...beatAxis(plan.beats, end, left, right, Object.values(store.info?.first_broken ?? {})) };
}

/** The number of steps of the run, as far as it is known: a plan that was computed to the end knows it. */
export function stepsOf(store: PlayerStore): number {
  const plan = planOf(store);
  return plan?.complete && store.canGrow ? Math.max(plan.steps, store.newest) : store.newest;
}

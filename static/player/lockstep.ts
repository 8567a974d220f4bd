/** Two runs side by side: where they first differ, and the step of each at a common step or time. Pure. */

import type { Step } from "./frame.ts";

/** What of a run lockstep needs to know. */
export interface Line {
  readonly newest: number;
  /** Undefined while it has not been fetched. */
  step(number: number): Step | undefined;
  time(number: number): number | undefined;
}

/** What happened in a step, as far as two runs can be compared by it. */
export function happening(step: Step): string {
  return JSON.stringify([step.at, step.actor, step.kind, step.key, step.params, step.messages, step.refusal?.error ?? null]);
}

export interface Difference {
  /** The last step up to which both runs are the same; the next one was not compared or differs. */
  sameUpTo: number;
  /** The first step that differs; one that only one run has counts as different. */
  first: number | null;
  /** Whether all that both runs have so far has been compared. */
  isComplete: boolean;
}

/** Goes on from `known`; stops where a step has not been fetched. */
export function compareOn(known: Difference, left: Line, right: Line): Difference {
  if (known.first !== null) return known;
  let sameUpTo = known.sameUpTo;
  const both = Math.min(left.newest, right.newest);
  while (sameUpTo < both) {
    const one = left.step(sameUpTo + 1);
    const other = right.step(sameUpTo + 1);
    if (one === undefined || other === undefined) return { sameUpTo, first: null, isComplete: false };
    if (one !== other && happening(one) !== happening(other)) return { sameUpTo, first: sameUpTo + 1, isComplete: true };
    sameUpTo += 1;
  }
  return { sameUpTo, first: null, isComplete: true };
}

/** The last step not later than `at`; steps never go back in time. */
export function stepAtTime(line: Line, at: number): number {
  let low = 0;
  let high = line.newest;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const time = line.time(middle);
    // A step that was never fetched is a later one, because the reader came from the beginning.
    if (time !== undefined && time <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The nearest later moment at which something happens in either run, or null at the end of what is known. */
export function nextMoment(lines: Line[], at: number): number | null {
  const moments = lines
    .map((line) => line.time(stepAtTime(line, at) + 1))
    .filter((time): time is number => time !== undefined);
  return moments.length === 0 ? null : Math.min(...moments);
}

/** The nearest earlier moment, or 0. */
export function previousMoment(lines: Line[], at: number): number {
  const moments = lines.map((line) => line.time(stepAtTime(line, at - 1)) ?? 0);
  return Math.max(0, ...moments);
}

/** Two runs side by side: the step of each at a common time. Pure. */

import type { Step } from "./frame.ts";

/** The part of a run that lockstep needs to know. */
export interface Line {
  readonly newest: number;
  /** Undefined while the step has not been fetched. */
  step(number: number): Step | undefined;
  time(number: number): number | undefined;
}

/** The last step not later than `at`; steps never go back in time. */
export function stepAtTime(line: Line, at: number): number {
  let low = 0;
  let high = line.newest;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const time = line.time(middle);
    // A step that was never fetched counts as a later one, because the reader came from the beginning.
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

/** The nearest earlier moment at which something happens in either run, or 0. */
export function previousMoment(lines: Line[], at: number): number {
  const moments = lines.map((line) => line.time(stepAtTime(line, at - 1)) ?? 0);
  return Math.max(0, ...moments);
}

/** Moves two runs by virtual time: finds the step of each run at a common time. Pure. */

import type { Step } from "./frame.ts";

/** A run, as far as this module needs it. `newest`: number of its newest step; `time`: virtual time of a step in ms. */
export interface Line {
  readonly newest: number;
  /** Undefined while the step has not been fetched. */
  step(number: number): Step | undefined;
  time(number: number): number | undefined;
}

/** The number of the last step that is not later than virtual time `at` (ms). Times of steps never decrease. */
export function stepAtTime(line: Line, at: number): number {
  let low = 0;
  let high = line.newest;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const time = line.time(middle);
    // A step whose time is not known counts as later: the reader came from the beginning and has seen all earlier ones.
    if (time !== undefined && time <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The virtual time (ms) of the next step after time `at` in any of the runs; null if no later step is known. */
export function nextMoment(lines: Line[], at: number): number | null {
  const moments = lines
    .map((line) => line.time(stepAtTime(line, at) + 1))
    .filter((time): time is number => time !== undefined);
  return moments.length === 0 ? null : Math.min(...moments);
}

/** The virtual time (ms) of the last step before time `at` in any of the runs; 0 if there is none. */
export function previousMoment(lines: Line[], at: number): number {
  const moments = lines.map((line) => line.time(stepAtTime(line, at - 1)) ?? 0);
  return Math.max(0, ...moments);
}

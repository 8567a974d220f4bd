/** Places marks for many steps on the time axis. Pure, no DOM. */

import type { Axis } from "./timeline.ts";
import { xOf } from "./timeline.ts";

export const defaults = {
  /** The least px between two marks; marks that would be closer become one. */
  apart: 5,
};

/** x, in px, of the marks for these steps: of steps that are nearer than `apart`, only the first has a mark. */
export function placesOf(numbers: readonly number[], axis: Axis): number[] {
  const found: number[] = [];
  let last = -Infinity;
  for (const number of numbers) {
    const x = Math.round(xOf(axis, number) * 10) / 10;
    if (x - last < defaults.apart) continue;
    found.push(x);
    last = x;
  }
  return found;
}

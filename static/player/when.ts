/** When a step is: virtual time; in a log case the clock that its records carry, and how long after the step before it. */

import type { Header } from "./frame.ts";
import { duration, say } from "./text.ts";

/** `at` and `before`: step times in milliseconds; `before` of the step in front, null where there is none. */
export function whenText(header: Header | null, at: number, before: number | null = null): string {
  const origin = header?.time_origin ?? null;
  if (origin === null) return say("player.virtual_time", { at });
  const gap = before === null ? 0 : at - before;
  return gap > 0 ? say("player.clock_after", { at: origin + at, gap: duration(gap) }) : say("player.clock", { at: origin + at });
}

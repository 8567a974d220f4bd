/**
 * Puts the time of a step in words: its virtual time; in a log case, the calendar time of its records and the time
 * since the step before.
 */

import type { Header } from "./frame.ts";
import { duration, say, span } from "./text.ts";

export const defaults = {
  /** If at least so many virtual ms have passed before a step, its sentence says so. */
  leap: 1000,
};

/**
 * The time of a step in words. `at`: its virtual time in ms; `before`: that of the step before, null if there is none.
 */
export function whenText(header: Header | null, at: number, before: number | null = null): string {
  const origin = header?.time_origin ?? null;
  if (origin === null) return say("player.virtual_time", { at });
  const gap = before === null ? 0 : at - before;
  return gap > 0 ? say("player.clock_after", { at: origin + at, gap: duration(gap) }) : say("player.clock", { at: origin + at });
}

/**
 * The text, with the time from `before` to `at` (virtual ms) in front of it if that is long: `1 min 10 s later: …`.
 * Nothing is added in a log case, where the time is shown anyway, nor to a sentence that begins with this time:
 * `The time limit of 5 s has passed`.
 */
export function afterLeap(header: Header | null, text: string, at: number, before: number | null): string {
  const gap = before === null || (header?.time_origin ?? null) !== null ? 0 : at - before;
  if (gap < defaults.leap) return text;
  return saysTime(text, span(gap)) || saysTime(text, duration(gap)) ? text : say("player.after_gap", { gap: span(gap), text });
}

/** Whether the first clause of a text names the time. */
function saysTime(text: string, time: string): boolean {
  const at = text.split(/[,;:，；：。]|\.(?=\s|$)/)[0]?.indexOf(time) ?? -1;
  return at >= 0 && !/\d/.test(text.charAt(at - 1));
}

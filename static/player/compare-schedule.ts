/**
 * Calls and faults that two runs of one scenario schedule differently (`engine/scenario/schedule.py`), in words. Pure.
 */

import type { Rescheduled } from "../generated/messages.ts";
import { named } from "./joins.ts";
import { say } from "./text.ts";

/** A rescheduled call or fault in words: `p2: commitTransaction()`, `A component is paused: p1`. */
export function whatOf({ kind, who, what }: Rescheduled): string {
  const said = say(kind === "call" ? `form.call_word.${what}` : `form.action.${what}`);
  if (who === "") return said;
  return kind === "call" ? named(who, said) : named(said, who);
}

/** When it is scheduled in this run: `1000 ms`, or that it is not scheduled. */
export function whenOf(row: Rescheduled, side: "left" | "right"): string {
  const [time] = row[side];
  if (time === undefined) return say("player.compare.rescheduled.absent");
  return time === null ? say("player.compare.rescheduled.present") : say("player.compare.at", { at: time });
}

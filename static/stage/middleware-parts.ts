/**
 * Finds the parts of the box of a middleware's node: its states, the responses that it has received, and the part that
 * the step's tag replaces. Pure.
 */

import type { Frame } from "../player/frame.ts";
import type { Box, Focus, Places } from "./contract.ts";
import { changedBelow } from "./focus-tag.ts";
import type { LadderPlace } from "./ladder.ts";

/**
 * In units. A box narrower than `NARROW` has its state under its name; a box lower than `LOW` has its words beside its
 * states instead of below them.
 */
export const NARROW = 170;
export const LOW = 236;
/** In a box lower than this, in units, the business system has its state in a word instead of a ladder. */
const SMALL = 160;
export const PILLS = { wide: 128, low: 104 };

export function ladderPlace(name: string, own: Box): LadderPlace | null {
  if (own.width < NARROW) return null;
  if (name === "business") return own.height < SMALL ? null : { x: 14, y: 38, width: Math.min(150, own.width - 28), height: own.height - 90 };
  if (name !== "middleware") return null;
  return own.height < LOW ? { x: 12, y: 36, width: PILLS.low, height: own.height - 42 } : { x: 14, y: 38, width: PILLS.wide, height: own.height - 152 };
}

/**
 * The rows of the responses that the middleware has received, one for each participant, in units. `pitch`: distance
 * from one row to the next; `names`: whether the participant's name has a line of its own.
 */
export interface Rows {
  x: number;
  y: number;
  width: number;
  pitch: number;
  names: boolean;
}

/**
 * The rows for `count` participants in the box `own`. `lines`: the number of lines of words under them in a low box.
 */
export function rowsOf(own: Box, count: number, lines: number): Rows {
  if (own.height < LOW) {
    const x = PILLS.low + 24;
    const foot = own.height - 12 - (lines - 1) * 17;
    return { x, y: 46, width: own.width - x - 12, pitch: Math.min(17, (foot - 51) / Math.max(1, count)), names: false };
  }
  const x = PILLS.wide + 32;
  const pitch = Math.min(40, (own.height - 164) / Math.max(1, count));
  return { x, y: 70, width: own.width - x - 12, pitch, names: pitch >= 30 };
}

export type Part = { kind: "head" } | { kind: "state" } | { kind: "row"; of: string };

/** The participant whose vote or other response the middleware receives in this step; null: none. */
function heardFrom(frame: Frame): string | null {
  const { step } = frame;
  if (step === null) return null;
  for (const { rest: [, room, name = ""] } of changedBelow(step, "middleware", "transactions")) {
    if ((room === "votes" || room === "answers") && name !== "" && name === step.params["sender"]) return name;
  }
  return null;
}

/**
 * The part of a node that the step's tag replaces, because the tag says the same; null if the tag is not about a node.
 */
export function taggedPart(frame: Frame, here: Places, focus: Focus): Part | null {
  const { actor, kind, tag } = focus;
  if (here.kind !== "middleware" || tag === null || actor === null || here.others[actor] === undefined || kind === "sent" || kind === "lost") return null;
  if (tag.key.startsWith("stage.tag.broken")) return { kind: "head" };
  if (frame.step?.transition?.of.split(" ")[0] === actor) return { kind: "state" };
  const heard = actor === "middleware" && frame.step?.refusal === null ? heardFrom(frame) : null;
  return heard === null ? { kind: "head" } : { kind: "row", of: heard };
}

/**
 * Makes the tag of a step of the middleware. It replaces the part of the picture that says the same: the node's present
 * state, or the vote or other response that the middleware receives; any other tag is in the node's head. Pure.
 */

import { round } from "../diagrams/geometry.ts";
import { shownTransaction } from "../diagrams/middleware-shown.ts";
import type { Frame } from "../player/frame.ts";
import { named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import type { Box, Focus, Places } from "./contract.ts";
import { rungBox, rungsOf } from "./ladder.ts";
import { LOW, NARROW, ladderPlace, rowsOf, taggedPart } from "./middleware-parts.ts";
import type { Part } from "./middleware-parts.ts";
import { footRows, headEnd, heardOf, liveOf } from "./middleware.ts";
import { tagWidth } from "./tag-size.ts";

const SIZES = [15, 14, 13, 12, 11, 10];
const READABLE = 12;
const HEAD = { y: 4, height: 22, edge: 8 };
/** The second line of a narrow node, under its name, in units: y, height, and distance from the box's edge. */
const SECOND = { y: 26, height: 18, edge: 4 };

export interface NodeTag {
  said: string;
  size: number;
  box: Box;
}

export function nodeTag(frame: Frame, here: Places, focus: Focus): NodeTag | null {
  const part = taggedPart(frame, here, focus);
  const own = here.others[focus.actor ?? ""]?.box;
  if (part === null || own === undefined || focus.tag === null) return null;
  const said = say(focus.tag.key, focus.tag.params);
  // A narrow place has room only for the state's name.
  const bare = typeof focus.tag.params["to"] === "string" ? focus.tag.params["to"] : said;
  const at = partBox(frame, focus.actor ?? "", own, part);
  const words = part.kind === "row" && !at.grows ? [named(part.of, said)] : [said, bare];
  const { word, size } = fitting(words, at);
  const width = round(Math.min(at.room, Math.max(at.least, tagWidth(word, size))));
  return { said: word, size, box: { x: round(own.x + (at.isRight ? at.x + at.room - width : at.x)), y: round(own.y + at.y), width, height: at.height } };
}

/** The first of some texts that fits in a readable size; else the last text, in the largest size that fits. */
function fitting(words: readonly string[], at: Spot): { word: string; size: number } {
  const sizes = SIZES.filter((size) => size + 5 <= at.height);
  for (const [index, word] of words.entries()) {
    const size = sizes.find((one) => tagWidth(word, one) <= at.room && (one >= READABLE || index === words.length - 1));
    if (size !== undefined) return { word, size };
  }
  return { word: words.at(-1) ?? "", size: sizes.at(-1) ?? 10 };
}

interface Spot {
  x: number;
  y: number;
  height: number;
  /** The greatest and the least width of the tag, in units. */
  room: number;
  least: number;
  isRight: boolean;
  /** Whether the tag is under the name of its row, and may be wider than its text's old place. */
  grows: boolean;
}

function partBox(frame: Frame, name: string, own: Box, part: Part): Spot {
  const plain = { least: 0, isRight: false, grows: false };
  if (part.kind === "row") {
    const tid = shownTransaction(frame);
    const entry = frame.view.middleware?.transactions?.[tid ?? ""];
    const heard = entry === undefined ? [] : heardOf(entry);
    const rows = rowsOf(own, heard.length, entry === undefined ? 0 : footRows(entry, frame.view.middleware?.differ?.[tid ?? ""]));
    const y = rows.y + Math.max(0, heard.findIndex(({ name: of }) => of === part.of)) * rows.pitch;
    return rows.names ? { ...plain, x: rows.x - 5, y: y + 5, height: 19, room: rows.width + 8, grows: true } : { ...plain, x: rows.x - 5, y: y - 12, height: 16, room: rows.width + 8 };
  }
  const place = part.kind === "state" ? ladderPlace(name, own) : null;
  if (place !== null) {
    const tid = shownTransaction(frame);
    const rungs = rungsOf(frame, name, tid, stateOf(frame, name, tid));
    const on = rungs.findIndex(({ look }) => look === "on");
    const pill = rungBox(rungs, Math.max(0, on), place);
    return { ...plain, ...pill, room: pill.width + (name !== "middleware" ? 36 : own.height < LOW ? 4 : 12), least: pill.width };
  }
  if (own.width < NARROW) return { ...plain, x: SECOND.edge, y: SECOND.y, height: SECOND.height, room: own.width - 2 * SECOND.edge };
  // A small business system has its state in the line under its name.
  if (part.kind === "state" && name === "business") return { ...plain, x: 10, y: 31, height: HEAD.height, room: own.width - 20 };
  const after = headEnd(name, liveOf(frame.view.middleware, name).state);
  return { ...plain, x: after, y: HEAD.y, height: HEAD.height, room: own.width - after - HEAD.edge, isRight: true };
}

/** The state of a transaction at a node, as the node's ladder shows it. */
export function stateOf(frame: Frame, name: string, tid: string | null): string | undefined {
  if (tid === null) return undefined;
  const { middleware } = frame.view;
  return name === "middleware" ? middleware?.transactions?.[tid]?.state : middleware?.business?.transactions?.[tid]?.state;
}

/**
 * The notes at the foot of the space-time diagram. They say how many messages and labels are not drawn, which actors
 * have no lane and, if rows are spaced by time, which distances are not to scale. Pure.
 */

import type { Frame } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { MARK, wrap } from "./geometry.ts";
import type { SpacetimeShape } from "./spacetime-layout.ts";
import { defaults as margin } from "./spacetime-margin.ts";
import type { RowSpacing, Spacing } from "./spacetime-rows.ts";
import { RULES, TO_SCALE } from "./spacetime-rows.ts";

/**
 * px of the foot's width that the choice of the spacing and the button of the diagram's text take: side by side in a
 * wide picture, one above the other in a narrow one.
 */
const BUTTONS = { wide: 252, narrow: 148 };
/** The same in px for the picture of a compared run, whose foot has only the button. */
const BUTTON = 96;
/** The number of lines of notes for which the foot has room. Further lines make the picture higher. */
const LINES: Record<Spacing, { wide: number; narrow: number }> = { step: { wide: 1, narrow: 3 }, time: { wide: 2, narrow: 4 } };
/** The same number for a picture of a compared run, which is half as wide, on a wide page. */
const BESIDE = 2;
/** px from one line to the next. */
export const NOTE_LINE = 14;

const sizeOf = (width: number): "wide" | "narrow" => (width < margin.narrow ? "narrow" : "wide");

/** px of the height below the lanes that the notes take, and in a narrow picture the buttons. */
export function footHeight(width: number, spacing: Spacing, isBeside = false): number {
  return Math.max(44 + (linesIn(width, spacing, isBeside) - 1) * NOTE_LINE, sizeOf(width) === "narrow" ? 88 : 0);
}

function linesIn(width: number, spacing: Spacing, isBeside: boolean): number {
  const size = sizeOf(width);
  return size === "wide" && isBeside ? BESIDE : LINES[spacing][size];
}

/**
 * The notes, joined and divided into lines. If they have more lines than there is room for, their brief form is used.
 */
export function noteLines(notes: readonly Note[], width: number, spacing: Spacing, isBeside = false): string[] {
  const size = sizeOf(width);
  const most = linesIn(width, spacing, isBeside);
  const room = width - (isBeside ? BUTTON : BUTTONS[size]);
  const whole = wrap(notes.map(({ text }) => text).join(" · "), room, MARK);
  return whole.length <= most ? whole : wrap(notes.map(({ brief }) => brief).join(" · "), room, MARK);
}

export interface Note {
  text: string;
  /** The note in fewer words. */
  brief: string;
}

const note = (text: string, brief = text): Note => ({ text, brief });

/** The notes. `before`: the number of messages sent before the first row; `drawn`: the actors that have a lane. */
export function footNotes(
  frame: Frame, shape: SpacetimeShape, before: number, drawn: ReadonlyMap<string, number>, spacing: RowSpacing,
): Note[] {
  const notes: Note[] = [];
  if (spacing === "time" || spacing === "close") {
    const from = TO_SCALE.least / TO_SCALE.perMillisecond;
    notes.push(note(say("diagram.spacetime.to_scale", { from, until: RULES[spacing].cutAfter })));
  }
  if (shape.counts.length > 0) notes.push(note(say("diagram.spacetime.counts")));
  if (before > 0) notes.push(note(say("diagram.spacetime.earlier", { count: before })));
  const unlabelled = shape.arrows.filter((arrow) => arrow.label === null).length;
  if (unlabelled > 0) notes.push(note(say("diagram.spacetime.unlabelled", { count: unlabelled })));
  // An application has no lane: it calls its clients and sends no messages of its own.
  const silent = frame.header.actors.filter(({ name, role }) => role !== "application" && !drawn.has(name)).map((actor) => actor.name);
  if (silent.length > 0) notes.push(note(say("diagram.spacetime.silent", { actors: silent, count: silent.length }), say("diagram.spacetime.silent_brief", { count: silent.length })));
  return notes;
}

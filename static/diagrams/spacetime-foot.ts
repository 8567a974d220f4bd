/**
 * The notes at the foot of the space-time diagram: the number of undrawn messages and, if spaced by time, what is not
 * to scale. Pure.
 */

import type { Frame } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { MARK, wrap } from "./geometry.ts";
import type { SpacetimeShape } from "./spacetime-layout.ts";
import { defaults as margin } from "./spacetime-margin.ts";
import type { RowSpacing, Spacing } from "./spacetime-rows.ts";
import { RULES, TO_SCALE } from "./spacetime-rows.ts";

/**
 * px at the foot for the choice of the spacing and the button of the diagram's text: side by side, or one above the
 * other.
 */
const BUTTONS = { wide: 252, narrow: 148 };
/** px at the foot of the picture of a compared run, which has only the button. */
const BUTTON = 96;
/** The number of lines that have room under the lanes; further ones make the picture higher. */
const LINES: Record<Spacing, { wide: number; narrow: number }> = { step: { wide: 1, narrow: 3 }, time: { wide: 2, narrow: 4 } };
/** The number of lines in a wide picture of a compared run, which is half as wide. */
const BESIDE = 2;
/** px from one line to the next. */
export const NOTE_LINE = 14;

const sizeOf = (width: number): "wide" | "narrow" => (width < margin.narrow ? "narrow" : "wide");

/** px below the lanes for the foot: for its notes, and in a narrow picture for its buttons. */
export function footHeight(width: number, spacing: Spacing, isBeside = false): number {
  return Math.max(44 + (linesIn(width, spacing, isBeside) - 1) * NOTE_LINE, sizeOf(width) === "narrow" ? 88 : 0);
}

function linesIn(width: number, spacing: Spacing, isBeside: boolean): number {
  const size = sizeOf(width);
  return size === "wide" && isBeside ? BESIDE : LINES[spacing][size];
}

/** The notes in lines; if they have no room, in fewer words. */
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

/** The notes. `before`: the number of messages before the first row. */
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

/** The drawing of a message: a sheet with a point in its direction, and its content inside. */

import { nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import { round } from "../diagrams/geometry.ts";
import type { Places } from "./contract.ts";
import { box, fittedText, flag, path, text, textWidth } from "./draw.ts";
import { phoneParts } from "./later.ts";
import type { Sheet } from "./messages.ts";
import { listed } from "../player/joins.ts";
import { say } from "../player/text.ts";

/**
 * How much of a message is drawn. `whole`: name and content; `row`: both in one line; `brief`: type and partition;
 * `small`: one line at the end of a lane.
 */
export type Detail = "whole" | "row" | "brief" | "small";

/** What happens to a message in this step. */
export interface Fate {
  /** Whether it is drawn yellow, because this step is about it. */
  now: boolean;
  /** Whether it arrives in this step and is drawn at its receiver. */
  docked: boolean;
  lost: boolean;
  /** The number of further copies of the message in transit. */
  copies: number;
  /** A note of a few words, below or beside it. */
  note: string;
  side: "under" | "right" | "left";
}

export interface Envelope {
  width: number;
  height: number;
  /** Draws it with the origin at its upper left corner. `heading`: 1 for right or down, −1 for left or up. */
  draw: (heading: 1 | -1, fate: Fate) => SVGTemplateResult;
}

const NAME = 14;
const WORDS = 13;
const CELL = 12;
/** Units of a sheet's width for its point and the space around its words. */
const BESIDE = 40;

/** On a sheet wider than this, in units, a batch is named without its records. */
const SHEET = 190;

/** Whether wires run up and down, so that a sheet has an arrow instead of a point. */
const standsUp = (here: Places): boolean => here.upright || here.form === "phone";

/** The name of a message; a response has an arrow in its direction before it, if a sheet has no arrow of its own. */
const titleOf = ({ name, isAnswer }: Sheet, heading: 1 | -1, here: Places): string => (isAnswer && !standsUp(here) ? `${heading > 0 ? "→" : "←"} ${name}` : name);

/** x of the text on a sheet: behind its point, or behind the notch of a response. */
const leftOf = ({ isAnswer }: Sheet, heading: 1 | -1): number => (heading < 0 ? 18 : isAnswer ? 14 : 10);

interface Row {
  width: number;
  draw: (x: number, y: number) => SVGTemplateResult;
}

/**
 * The size and drawing of a message. `way`: sender and receiver as text, if its direction does not show them; else "".
 * `toward`: the receiver of a message between brokers, whose wire turns back; else "".
 */
export function envelopeOf(sheet: Sheet, detail: Detail, here: Places, way = "", toward = ""): Envelope {
  if (detail === "small") return oneLine(sheet);
  if (way !== "" && sheet.cells.length === 0) return phoneParts().onWay(sheet, here, way);
  if (detail === "row" && sheet.cells.length > 0) return nameAndCells(sheet, here);
  if ((detail === "row" || detail === "brief") && !standsUp(here)) return nameAndBrief(sheet, here);
  // All messages of the middleware are about the same transaction, which the box of the middleware names.
  if (detail === "brief" && !(here.upright && sheet.flags.length > 0)) return twoLines(sheet.isAnswer && sheet.brief !== sheet.words && here.kind === "cluster" ? { ...sheet, name: say("diagram.message.response", { api: sheet.name }) } : sheet, sheet.brief === "" || here.kind === "middleware" ? [] : [wordsRow(sheet.brief, sheet.bad, here)], here, 12);
  if (sheet.flags.length > 0) return flags(sheet, here, toward);
  const rows = sheet.cells.length > 0 ? sheet.cells.map((cell) => cellRow(cell, here, true)) : sheet.words === "" ? [] : [wordsRow(sheet.words, sheet.bad, here)];
  return twoLines(sheet, rows, here, NAME);
}

function wordsRow(words: string, bad: boolean, here: Places): Row {
  // Names of errors are narrower than estimated. The longest ones are set in smaller letters, to fit in the network.
  const width = (size: number): number => textWidth(words, size, bad) * (bad ? 0.92 : 1);
  const room = here.network.width - BESIDE;
  const size = [WORDS, 12, 11].find((one) => width(one) <= room) ?? 10;
  return { width: width(size), draw: (x, y) => text(x, y + 13, words, `s${size} ${bad ? "bad" : "k"}`) };
}

function cellRow({ who, label, records, partition, producerId, isFenced }: Sheet["cells"][number], here: Places, isWhole = false): Row {
  const said = who === null ? label : `${who} ${label}`;
  const width = round(Math.max(34, textWidth(said, CELL, true) + 12));
  const both = records === "" ? partition : `${partition} ${records}`;
  const beside = isWhole && width + textWidth(both, WORDS) <= Math.min(here.network.width, SHEET) - BESIDE ? both : partition;
  return {
    width: width + 6 + textWidth(beside, WORDS),
    draw: (x, y) => svg`${box(x, y, width, 18, `cell ${here.hue(producerId)}${isFenced ? " old" : ""}`, 2)}${text(x + width / 2, y + 13.5, said, "s12 b", "middle")}${
      text(x + width + 6, y + 13.5, beside, "s13 k")}`,
  };
}

function twoLines(sheet: Sheet, rows: readonly Row[], here: Places, size: number): Envelope {
  // Beside the name, dots say that actions are available (`gripOf`); on a phone, there are none.
  const width = Math.max(size === NAME ? 92 : 60, textWidth(titleOf(sheet, -1, here), size, true) + (standsUp(here) ? 28 : 38), ...rows.map((row) => row.width + 28));
  const height = rows.length === 0 ? 26 : 24 + rows.length * 20;
  return {
    width: round(width), height,
    draw: (heading, fate) => {
      const left = standsUp(here) ? 12 : leftOf(sheet, heading);
      return paper(round(width), height, heading, standsUp(here), sheet, fate, svg`${
        text(left, 17, titleOf(sheet, heading, here), size === NAME ? "b" : "s12 b")}${rows.map((row, index) => row.draw(left, 22 + index * 20))}`);
    },
  };
}

/** The most rows of markers in one message; the last row counts the remaining partitions. */
const MARKERS = { most: 4, upright: 1 };

/** A message with markers: one row for each marker, with its flag and its partitions. */
function flags(sheet: Sheet, here: Places, toward: string): Envelope {
  const most = standsUp(here) ? MARKERS.upright : MARKERS.most;
  const shown = sheet.flags.slice(0, sheet.flags.length > most ? Math.max(1, most - 1) : most);
  const rows = shown.map(({ letter, producerId, partitions }, index): Row => {
    const more = index === shown.length - 1 ? sheet.flags.slice(shown.length).reduce((sum, flag) => sum + flag.partitions.length, 0) : 0;
    const label = partitions.length > 2 || more > 0 ? `${partitions[0] ?? ""} +${partitions.length - 1 + more}` : listed(partitions);
    const width = 22 + textWidth(label, 15, true);
    const to = toward === "" || shown.length > 1 ? "" : `→ ${toward}`;
    return {
      width: width + (to === "" ? 0 : 6 + textWidth(to, 12)),
      draw: (x, y) => svg`${flag(x, y, 22, letter, here.hue(producerId))}${text(x + 22, y + 17, label, "s15 b")}${to === "" ? nothing : text(x + width + 6, y + 17, to, "s12 k")}`,
    };
  });
  // A message with several markers does not say its name, so that rows have room.
  const isNamed = !standsUp(here) && rows.length === 1;
  const head = isNamed ? 18 : 0;
  const width = round(Math.max(62, isNamed ? textWidth(sheet.name, 12, true) + 40 : 0, ...rows.map((row) => row.width + 24)));
  const height = 8 + head + rows.length * 32;
  return {
    width, height,
    draw: (heading, fate) => paper(width, height, heading, standsUp(here), sheet, fate, svg`${
      isNamed ? text(8, 18, sheet.name, "s12 b") : nothing}${rows.map((row, index) => row.draw(8, 6 + head + index * 32))}`, standsUp(here) ? 0 : 10),
  };
}

/** A message in one line, with name and subject, for many messages one below the other. */
function nameAndBrief(sheet: Sheet, here: Places): Envelope {
  const name = textWidth(titleOf(sheet, -1, here), 12, true);
  const width = round(name + (sheet.brief === "" ? 0 : textWidth(sheet.brief, 12, sheet.bad) + 6) + 28);
  return {
    width, height: 26,
    draw: (heading, fate) => {
      const left = leftOf(sheet, heading);
      return paper(width, 26, heading, false, sheet, fate, svg`${text(left, 17, titleOf(sheet, heading, here), "s12 b")}${
        sheet.brief === "" ? nothing : text(left + name + 6, 17, sheet.brief, `s12 ${sheet.bad ? "bad" : "k"}`)}`);
    },
  };
}

/** A message in one line, with name and batches, for requests that wait one below the other. */
function nameAndCells(sheet: Sheet, here: Places): Envelope {
  const name = textWidth(sheet.name, 12, true);
  const rows = sheet.cells.map((cell) => cellRow(cell, here));
  const width = round(name + rows.reduce((sum, row) => sum + row.width + 6, 0) + 28);
  return {
    width, height: 26,
    draw: (heading, fate) => {
      let x = (heading > 0 ? 10 : 18) + name + 6;
      const drawn = rows.map((row) => {
        const at = x;
        x += row.width + 6;
        return row.draw(at, 4);
      });
      return paper(width, 26, heading, false, sheet, fate, svg`${text(heading > 0 ? 10 : 18, 17, sheet.name, "s12 b")}${drawn}`);
    },
  };
}

/** Units for the text in one line, by the estimate of widths, which is a little too wide. */
const ONE_LINE = 58;

function oneLine(sheet: Sheet): Envelope {
  const said = sheet.isAnswer ? sheet.words : sheet.name;
  return {
    width: 62, height: 24,
    draw: (heading, fate) => {
      // The torn-off piece of a lost message is drawn within the same width.
      const off = fate.lost ? TORN - 4 : 0;
      return svg`<g transform=${`translate(${heading > 0 ? 0 : off},0)`}>${paper(62 - off, 24, heading, false, sheet, fate, svg`<title>${`${sheet.name} ${sheet.words}`}</title>${
        fittedText(heading < 0 && !fate.lost ? 12 : sheet.isAnswer ? 10 : 6, 16, said, ONE_LINE - off - (sheet.isAnswer ? 6 : 0), 12, { least: 8, classes: sheet.bad ? "bad" : "k" })}`, 6)}</g>`;
    },
  };
}


/**
 * The outline of a sheet: its point is in its direction, and a response has a notch at its other end. Upright messages
 * have an arrow instead.
 */
export function outline(width: number, height: number, heading: 1 | -1, point: number, isAnswer = false): string {
  const x = (at: number): number => round(heading > 0 ? at : width - at);
  const end = isAnswer ? `H${x(0)}L${x(NOTCH)},${height / 2}L${x(0)},0Z` : `H${x(3)}Q${x(0)},${height} ${x(0)},${height - 3}V3Q${x(0)},0 ${x(3)},0Z`;
  return `M${x(isAnswer ? 0 : 3)},0H${x(width - point)}L${x(width)},${height / 2}L${x(width - point)},${height}${end}`;
}

/** Depth of the notch in the rear end of a response, in units. */
const NOTCH = 5;

export function paper(
  width: number, height: number, heading: 1 | -1, upright: boolean, sheet: Sheet, fate: Fate, inside: SVGTemplateResult, point = 10, points = upright,
): SVGTemplateResult {
  const classes = ["env", sheet.isAnswer ? "resp" : "", fate.now ? "hot" : "", fate.docked ? "dock" : "", sheet.bad ? "badm" : "", fate.lost ? "gone" : ""]
    .filter(Boolean).join(" ");
  const edge = (): SVGTemplateResult => (upright || point === 0 ? box(0, 0, width, height, classes, 5) : path(outline(width, height, heading, point, sheet.isAnswer), classes));
  const arrow = points
    ? path(heading > 0 ? `M${width - 10},7v10m-4,-4l4,4l4,-4` : `M${width - 10},17v-10m-4,4l4,-4l4,4`, "trail thin")
    : nothing;
  const side = upright ? 1 : heading;
  const whole = fate.lost ? torn(svg`${inside}${arrow}`, width, height, side, classes) : svg`${edge()}${inside}${arrow}`;
  const sheets = Array.from({ length: Math.min(fate.copies, 2) }, (_, index) => fate.copies - index)
    .map((far) => svg`<g transform=${`translate(${far * 6},${far * 6})`}>${edge()}</g>`);
  return svg`${sheets}${whole}${
    fate.note === "" ? nothing : note(width, height, heading, upright, fate)}`;
}

/**
 * The drawing of a message's note. A note below a message that is wider than the message ends at the message's point,
 * to stay off the box of the component in front of it.
 */
function note(width: number, height: number, heading: 1 | -1, upright: boolean, { note: said, side, copies }: Fate): SVGTemplateResult {
  const under = height + (copies > 0 ? 20 : 14);
  if (side === "under" && !upright && textWidth(said, 12, true) > width) return heading > 0 ? text(width - 4, under, said, "s12 b gl", "end") : text(4, under, said, "s12 b gl");
  if (side === "under") return text(width / 2, under, said, "s12 b gl", "middle");
  return side === "right" ? text(width + 6, height / 2 + 4, said, "s12 b gl") : text(-6, height / 2 + 4, said, "s12 b gl", "end");
}

/** Units from the end of the sheet to the far end of the torn-off piece. */
export const TORN = 26;
const TEAR = { gap: 18, deep: 3, teeth: 3, cross: 7 };

/** A lost message: its pointed end is torn off, with a cross in the tear; name and content stay readable. */
function torn(inside: SVGTemplateResult, width: number, height: number, heading: 1 | -1, classes: string): SVGTemplateResult {
  const teeth = Array.from({ length: TEAR.teeth + 1 }, (_, index) => [(index % 2 === 0 ? -1 : 1) * TEAR.deep, round((height * index) / TEAR.teeth)] as const);
  // The shapes are computed for a message that goes right, and mirrored for one that goes left.
  const x = (at: number): number => round(heading > 0 ? at : width - at);
  const cut = (from: number): string => teeth.map(([dx, y]) => `L${x(from + dx)},${y}`).join("");
  const sheet = `M${x(3)},0${cut(width - 4)}H${x(3)}Q${x(0)},${height} ${x(0)},${height - 3}V3Q${x(0)},0 ${x(3)},0Z`;
  const [from, to] = [width - 4 + TEAR.gap, width - 4 + TORN];
  const piece = `M${x(from - TEAR.deep)},0${cut(from)}L${x(to)},${round(height * 0.55)}Z`;
  const [left, top, arm] = [x(width - 4 + TEAR.gap / 2) - TEAR.cross, height / 2 - TEAR.cross, 2 * TEAR.cross];
  const cross = `M${left},${top}l${arm},${arm}m0,-${arm}l-${arm},${arm}`;
  return svg`${path(sheet, classes)}${inside}<g transform=${`rotate(${heading * 9} ${x(width + TEAR.gap)} ${height / 2})`}>${path(piece, classes)}</g>${
    path(cross, "cross under")}${path(cross, "cross")}`;
}

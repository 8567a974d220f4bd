/**
 * The highlighted row ("band") of the step on show in the space-time diagram, with texts that say what the step did.
 * They are in the column right of the lanes; without that column beside the step's actor; in a narrow picture below the
 * row. Pure.
 */

import type { Frame } from "../player/frame.ts";
import { facts, named } from "../player/joins.ts";
import { sentencesOf } from "../player/sentence-fit.ts";
import { say } from "../player/text.ts";
import { errorText } from "./field-words.ts";
import type { Box } from "./geometry.ts";
import { TEXT, round, textWidth, wrapAtMost } from "./geometry.ts";
import type { Arrived } from "./lane-arrived.ts";
import { arrivalWords } from "./lane-arrival.ts";
import { arrivedNow } from "./lane-arrived.ts";
import { shownReplica } from "./shown-replica.ts";
import type { LaneHead } from "./spacetime-heads.ts";
import { TO_LANES, doerOf } from "./spacetime-heads.ts";
import { defaults as margin, marginWidth, wordsWidth } from "./spacetime-margin.ts";

/** The least px of the band's height. */
const BAND = 40;
/** The most lines of one text. It is more than any text has. */
const LINES = 14;
/** px from one line to the next. */
const LINE = 17;
/** The width of a text in the page's typeface, as a share of the width that `textWidth` estimates. */
const NARROWER = 0.92;

export interface BandShape {
  y: number;
  height: number;
  /** y of the row's middle. */
  middle: number;
  /** The box behind the band's texts, which hides the lanes and arrows under them; null if the band has no texts. */
  plate: Box | null;
  /** x of the lane of the actor that did the step; null if it has none. */
  x: number | null;
  /** `=` if the arriving batch equals a stored one; else null. */
  sign: string | null;
  texts: { x: number; y: number; text: string; strong: boolean; anchor: "start" | "end" }[];
}

/** The lines of the band's texts in the column right of the lanes. `column`: the width of the column in px. */
function bandLines(frame: Frame, column: number): { text: string; strong: boolean }[] {
  return bandText(frame).flatMap((text, index) =>
    wrapAtMost(text, wordsWidth(column) / NARROWER, TEXT, LINES, index === 0).map((line) => ({ text: line, strong: index === 0 })));
}

/** px of the band above and below the middle of its row. */
export interface BandRoom {
  above: number;
  below: number;
}

/** px from the edges of a narrow picture to the texts under the row. */
const INDENT = { left: 62, right: 8 };

/**
 * The lines of the band's texts in a narrow picture. They are below the row, so that the arriving arrow stays visible.
 * Empty unless a batch arrived or a request was refused: the step's sentence is already above the picture, and would
 * cover arrows here.
 */
function linesUnder(frame: Frame, width: number): string[] {
  if (arrivedAt(frame) === null && frame.step?.refusal == null) return [];
  return bandText(frame).flatMap((text) => wrapAtMost(text, width - INDENT.left - INDENT.right, TEXT, LINES, true));
}

/** The room of a band without texts, in pictures of compared runs: the page shows the step's sentence beside them. */
export const WORDLESS: BandRoom = { above: BAND / 2, below: BAND / 2 };

/** The room of a step's band. `column`: px from {@link marginWidth}; null: there is no column. */
export function bandRoom(frame: Frame, width: number, column: number | null): BandRoom {
  if (width < margin.narrow) return { above: BAND / 2, below: 16 + linesUnder(frame, width).length * LINE + 6 };
  const half = Math.max(BAND, bandLines(frame, column ?? margin.width).length * LINE + 10) / 2;
  return { above: half, below: half };
}

/**
 * The band of this step with its texts. `y`: y of the step's row; `width`: px of the picture; `begin`: x of the first
 * lane.
 */
export function bandShape(frame: Frame, y: number, lanes: LaneHead[], width: number, begin: number): BandShape {
  const band = bandOf(frame, y, lanes, width, begin);
  return { ...band, plate: plateOf(band.texts) };
}

/** The band without texts. */
export function plainBand(frame: Frame, y: number, lanes: readonly LaneHead[]): BandShape {
  return { ...washOf(frame, y, lanes, WORDLESS), plate: null, texts: [] };
}

function washOf(frame: Frame, y: number, lanes: readonly LaneHead[], { above, below }: BandRoom): Omit<BandShape, "plate" | "texts"> {
  const doer = frame.step === null ? null : doerOf(frame.step);
  const x = lanes.find((item) => item.actor === doer)?.x ?? null;
  return { y: round(y - above), middle: round(y), height: above + below, x, sign: arrivedAt(frame)?.fate === "duplicate" ? "=" : null };
}

function plateOf(texts: BandShape["texts"]): Box | null {
  const [first, last] = [texts[0], texts.at(-1)];
  if (first === undefined || last === undefined) return null;
  const wide = round(Math.max(...texts.map(({ text, strong }) => textWidth(text, TEXT, strong))) * NARROWER + 8);
  return { x: round(first.anchor === "start" ? first.x - 4 : first.x - wide + 4), y: round(first.y - 13), width: wide, height: round(last.y - first.y + 18) };
}

function bandOf(frame: Frame, y: number, lanes: LaneHead[], width: number, begin: number): Omit<BandShape, "plate"> {
  const column = marginWidth(width, begin, lanes.length);
  const place = washOf(frame, y, lanes, bandRoom(frame, width, column));
  const { x } = place;
  if (column !== null) {
    const lines = bandLines(frame, column);
    const left = (lanes[lanes.length - 1]?.x ?? begin) + 16;
    const first = y + 4.5 - ((lines.length - 1) * LINE) / 2;
    return { ...place, texts: lines.map(({ text, strong }, index) => ({ x: round(left), y: round(first + index * LINE), text, strong, anchor: "start" })) };
  }
  if (width < margin.narrow) {
    return { ...place, texts: linesUnder(frame, width).map((text, index) => ({ x: INDENT.left, y: round(y + 28 + index * LINE), text, strong: true, anchor: "start" })) };
  }
  const times = begin - TO_LANES;
  const middle = x ?? times;
  const onRight = width - middle >= middle - times;
  const room = onRight ? width - middle - 22 : middle - times - 18;
  const lines = bandText(frame).flatMap((text, index) => wrapAtMost(text, room, TEXT, LINES, index === 0));
  const first = round(y + 5 - ((lines.length - 1) * LINE) / 2);
  return {
    ...place,
    texts: lines.map((text, index) => ({
      x: round(onRight ? middle + 16 : middle - 14), y: first + index * LINE, text, strong: true, anchor: onRight ? "start" : "end",
    })),
  };
}

/** The batch that arrived in this step and that the step's actor decided about, with its fate; null: none. */
function arrivedAt(frame: Frame): Arrived | null {
  const decision = frame.step?.decision;
  const view = decision == null ? undefined : frame.view.partitions?.[decision.subject];
  const id = view === undefined ? null : shownReplica(view);
  const replica = id === null ? undefined : view?.replicas[id];
  if (decision == null || id === null || replica === undefined || decision.by !== frame.step?.actor) return null;
  return arrivedNow(frame, decision.subject, id);
}

/**
 * One or two texts that say what the step did: the batch that arrived, and its fate; for any other step, its first
 * sentence. The page shows all its sentences above the picture.
 */
function bandText(frame: Frame): string[] {
  const step = frame.step;
  if (step === null) return [];
  const arrived = arrivedAt(frame);
  if (arrived !== null) {
    const { label, detail } = arrivalWords(frame, arrived);
    return [named(step.decision?.subject ?? "", label), detail];
  }
  if (step.refusal !== null) {
    const compared = facts(step.refusal.compared.map(([name, value]) => errorText(name, value)));
    return [step.refusal.error, compared];
  }
  return sentencesOf(say(step.key, step.params)).slice(0, 1);
}

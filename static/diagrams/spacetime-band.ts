/**
 * The highlighted row ("band") of a step in the space-time diagram, and the result of the step as text: in the column
 * beside the lanes, else beside its actor; in a narrow picture, below the row. Pure.
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
/** The most lines of a text, which no text reaches. */
const LINES = 14;
/** px from one line to the next. */
const LINE = 17;
/** The factor by which letters of the page's typeface are narrower than estimated. */
const NARROWER = 0.92;

export interface BandShape {
  y: number;
  height: number;
  /** y of the row's middle. */
  middle: number;
  /** The box behind the band's texts, through which no lane or arrow runs; null: none. */
  plate: Box | null;
  /** x of the actor's lane; null if the actor has none. */
  x: number | null;
  /** `=` if the arriving batch equals a stored one; else null. */
  sign: string | null;
  texts: { x: number; y: number; text: string; strong: boolean; anchor: "start" | "end" }[];
}

/** The texts of the band in lines, for the column beside the lanes. `column`: its width in px. */
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
 * The texts of a narrow picture: under the row over the whole width, so that the arriving arrow stays visible. If no
 * batch arrived or was refused, there are none: the step's sentence already stands over the picture, and would cover
 * arrows.
 */
function linesUnder(frame: Frame, width: number): string[] {
  if (arrivedAt(frame) === null && frame.step?.refusal == null) return [];
  return bandText(frame).flatMap((text) => wrapAtMost(text, width - INDENT.left - INDENT.right, TEXT, LINES, true));
}

/** The room of a band without texts, if the step's sentence stands beside the picture. */
export const WORDLESS: BandRoom = { above: BAND / 2, below: BAND / 2 };

/** The room of a step's band. `column`: the width from {@link marginWidth}. */
export function bandRoom(frame: Frame, width: number, column: number | null): BandRoom {
  if (width < margin.narrow) return { above: BAND / 2, below: 16 + linesUnder(frame, width).length * LINE + 6 };
  const half = Math.max(BAND, bandLines(frame, column ?? margin.width).length * LINE + 10) / 2;
  return { above: half, below: half };
}

/**
 * The band of this step with its texts, in the column beside the lanes, or else beside the actor. `begin`: x of the
 * first lane.
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

/** The batch that this step's actor decided about, as the lanes show it; null: none. */
function arrivedAt(frame: Frame): Arrived | null {
  const decision = frame.step?.decision;
  const view = decision == null ? undefined : frame.view.partitions?.[decision.subject];
  const id = view === undefined ? null : shownReplica(view);
  const replica = id === null ? undefined : view?.replicas[id];
  if (decision == null || id === null || replica === undefined || decision.by !== frame.step?.actor) return null;
  return arrivedNow(frame, decision.subject, id);
}

/**
 * What the step did, in one text or two: the batch that arrived and its fate, or the first sentence of the step; all
 * its sentences stand over the picture.
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

/**
 * Finds a place for each arrow's label along its arrow where it covers no other label. Pure.
 *
 * A rotated text is tested as a chain of small boxes along its line. The most important labels get their places first.
 * A label that would lie over other arrows has its shorter text if that lies over fewer; a label without a free place
 * is left out (its arrow keeps the whole text as its accessible name, and the diagram counts the labels that it left
 * out).
 */

import type { Box } from "./geometry.ts";
import { MARK, overlap, round, textWidth } from "./geometry.ts";

export interface LabelledLine {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  text: string;
  /** A shorter text, used if the whole text would lie over other arrows. */
  short?: string;
  weight: number;
  /** px from the middle to the edge of the cross at the line's end, if it has one. */
  cross?: number;
}

export interface LabelPlace {
  x: number;
  y: number;
  /** In degrees. */
  angle: number;
  text: string;
}

const SIZE = MARK;
const ABOVE = 7;
const BELOW = -15;
/**
 * In degrees: a text is level along an arrow steeper than `STEEPEST`, and has further places beside one steeper than
 * `STEEP`.
 */
const STEEPEST = 40;
const STEEP = 15;
const CHUNK = 6;
/**
 * An arrow counts as running through a text if it crosses a horizontal line through the text at one of these heights,
 * as shares of the text's height from the top: below the tallest letters, in the middle, at the baseline.
 */
const HEIGHTS = [0.2, 0.5, 0.85];

/**
 * The room for labels, in px: `width` and `bottom` of the picture. `lanes`: the x of the actors' vertical lines, on
 * which a text stands only if it has no other place.
 */
export interface LabelRoom {
  width: number;
  bottom?: number;
  lanes?: readonly number[];
  /** Boxes that a text may cover only if it has no other place. */
  dots?: readonly Box[];
}

export function placeLabels(lines: readonly LabelledLine[], taken: readonly Box[], room: LabelRoom): (LabelPlace | null)[] {
  const boxes: Box[] = [...taken];
  const places: (LabelPlace | null)[] = lines.map(() => null);
  const order = lines.map((_, index) => index).sort((one, other) => {
    const difference = (lines[other]?.weight ?? 0) - (lines[one]?.weight ?? 0);
    return difference !== 0 ? difference : other - one;
  });
  for (const index of order) {
    const line = lines[index] as LabelledLine;
    const best = bestPlace(line, lines, boxes, room);
    if (best === null) continue;
    boxes.push(...best.boxes);
    places[index] = best.place;
  }
  return places;
}

interface Candidate {
  place: LabelPlace;
  boxes: Box[];
  /** Whether the text is level beside a steep line. */
  beside: boolean;
}

/** A text that is nearer to another arrow than to its own is as bad as one with this many arrows under it. */
const ASTRAY = 2;

/**
 * The place with the fewest arrows, lanes and dots under it, where no other arrow is nearer; among equals, one for the
 * longer text, then the one nearest to the arrow's middle. Null if every place is outside the picture or covers another label.
 */
function bestPlace(line: LabelledLine, lines: readonly LabelledLine[], boxes: readonly Box[], { width, bottom = Number.POSITIVE_INFINITY, lanes = [], dots = [] }: LabelRoom): Candidate | null {
  let best: Candidate | null = null;
  let fewest = Infinity;
  for (const text of [line.text, line.short ?? line.text]) {
    for (const candidate of candidates(line, text, width)) {
      if (candidate.boxes.some((box) => box.y + box.height > bottom || boxes.some((other) => overlap(box, other)))) continue;
      const others = lines.filter((other) => other !== line);
      const crossed = (isAstray(candidate, line, others) ? ASTRAY : 0) + others.filter((other) => isCrossed(candidate.boxes, other)).length + lanesThrough(candidate.boxes, lanes) + dots.filter((dot) => candidate.boxes.some((box) => overlap(box, dot))).length;
      if (crossed >= fewest) continue;
      [best, fewest] = [candidate, crossed];
      if (crossed === 0) return best;
    }
  }
  return best;
}

/**
 * The number of lanes that run through a text, each counted as half an arrow: a text on a lane is easier to read than
 * one on an arrow.
 */
function lanesThrough(boxes: readonly Box[], lanes: readonly number[]): number {
  const [left, right] = [Math.min(...boxes.map(({ x }) => x)), Math.max(...boxes.map(({ x, width }) => x + width))];
  return lanes.filter((lane) => left + 2 < lane && lane < right - 2).length * 0.5;
}

/** Whether the middle of a text is nearer to another line than to its own. It never is for a text beside a steep line. */
function isAstray({ place, beside }: Candidate, line: LabelledLine, others: readonly LabelledLine[]): boolean {
  return !beside && others.some((other) => distance(place, other) < distance(place, line));
}

/** px from the middle of a text to the nearest point of a line. */
function distance({ x, y }: LabelPlace, { x1, y1, x2, y2 }: LabelledLine): number {
  const [dx, dy, middle] = [x2 - x1, y2 - y1, y - SIZE / 2];
  const along = Math.max(0, Math.min(1, ((x - x1) * dx + (middle - y1) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - x1 - along * dx, middle - y1 - along * dy);
}

/** Whether the line runs through the text or touches its edge. `boxes`: the text as a chain of boxes. */
function isCrossed(boxes: readonly Box[], line: LabelledLine): boolean {
  const [first, last] = [boxes[0], boxes[boxes.length - 1]];
  if (first === undefined || last === undefined) return false;
  return HEIGHTS.some((share) => {
    const [x1, y1, x2, y2] = [first.x, first.y + first.height * share, last.x + last.width, last.y + last.height * share];
    const side = (x: number, y: number): number => Math.sign((line.x2 - line.x1) * (y - line.y1) - (line.y2 - line.y1) * (x - line.x1));
    const other = (x: number, y: number): number => Math.sign((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1));
    return side(x1, y1) !== side(x2, y2) && other(line.x1, line.y1) !== other(line.x2, line.y2);
  });
}

function* candidates(line: LabelledLine, text: string, width: number): Generator<Candidate> {
  const dx = line.x2 - line.x1;
  const dy = line.y2 - line.y1;
  const length = Math.hypot(dx, dy);
  if (length === 0) return;
  const wide = textWidth(text, SIZE);
  let angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  if (angle > 90) angle -= 180;
  if (angle < -90) angle += 180;
  const level = Math.abs(angle) > STEEPEST;
  const shown = level ? 0 : angle;
  const half = Math.min(0.5, wide / 2 / length);
  for (const share of [0.5, 0.4, 0.6, 0.3, 0.7, half, 1 - half]) {
    const centre = { x: line.x1 + dx * share, y: line.y1 + dy * share };
    for (const lift of [ABOVE, BELOW]) yield* within(width, { centre, angle: shown, wide, lift, text });
  }
  if (Math.abs(angle) > STEEP) {
    // Beside a steep arrow, the text is level.
    const clear = Math.abs(dx / dy) * (SIZE / 2) + ABOVE + wide / 2;
    for (const share of [0.5, 0.4, 0.6, 0.3, 0.7]) {
      const { x, y } = { x: line.x1 + dx * share, y: line.y1 + dy * share };
      for (const aside of [clear, -clear]) yield* within(width, { centre: { x: x + aside, y }, angle: 0, wide, lift: -SIZE / 2, text, beside: true });
    }
  }
  if (line.cross === undefined) return;
  // A lost message is a short arrow: its text stands over or under the cross, or beyond one of its ends.
  const beyond = Math.sign(dx) * (line.cross + ABOVE + wide / 2);
  const end = { x: line.x2, y: line.y2 };
  for (const lift of [ABOVE + line.cross, BELOW - line.cross]) {
    for (const aside of [0, -beyond, beyond]) yield* within(width, { centre: { ...end, x: end.x + aside }, angle: 0, wide, lift, text });
  }
  for (const centre of [{ x: line.x2 + beyond, y: line.y2 }, { x: line.x1 - beyond, y: line.y1 }]) yield* within(width, { centre, angle: 0, wide, lift: -SIZE / 2, text });
}

/** The place of a text, unless it reaches beyond the picture. */
function* within(width: number, { centre, angle, wide, lift, text, beside = false }: { centre: { x: number; y: number }; angle: number; wide: number; lift: number; text: string; beside?: boolean }): Generator<Candidate> {
  const boxes = chain(centre, angle, wide, lift);
  if (boxes.some((box) => box.x < 2 || box.x + box.width > width - 2)) return;
  yield { place: { ...offset(centre, angle, lift), angle: round(angle), text }, boxes, beside };
}

/** The text's anchor (its middle, on the baseline), at a distance from the line. */
function offset(centre: { x: number; y: number }, angle: number, lift: number): { x: number; y: number } {
  const radians = (angle * Math.PI) / 180;
  return { x: round(centre.x + Math.sin(radians) * lift), y: round(centre.y - Math.cos(radians) * lift) };
}

function chain(centre: { x: number; y: number }, angle: number, wide: number, lift: number): Box[] {
  const radians = (angle * Math.PI) / 180;
  const at = offset(centre, angle, lift);
  const boxes: Box[] = [];
  for (let along = -wide / 2; along < wide / 2; along += CHUNK) {
    const x = at.x + Math.cos(radians) * along;
    const y = at.y + Math.sin(radians) * along;
    boxes.push({ x, y: y - SIZE + 1, width: CHUNK, height: SIZE + 1 });
  }
  return boxes;
}

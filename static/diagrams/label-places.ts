/**
 * Finds each arrow's label a place along its arrow where it stands on no other label. Pure.
 *
 * A rotated text is tested as a chain of small boxes along its line. The most important labels choose first; a
 * label without a free place is left out (its arrow keeps a name, and the diagram counts what it left out).
 */

import type { Box } from "./geometry.ts";
import { overlap, round, textWidth } from "./geometry.ts";

export interface LabelledLine {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  text: string;
  weight: number;
}

export interface LabelPlace {
  x: number;
  y: number;
  /** Degrees. */
  angle: number;
}

const SIZE = 11.5;
const ABOVE = 7;
const BELOW = -15;
const STEEPEST = 40;
const CHUNK = 12;

export function placeLabels(lines: readonly LabelledLine[], taken: readonly Box[], width: number): (LabelPlace | null)[] {
  const boxes: Box[] = [...taken];
  const places: (LabelPlace | null)[] = lines.map(() => null);
  const order = lines.map((_, index) => index).sort((one, other) => {
    const difference = (lines[other]?.weight ?? 0) - (lines[one]?.weight ?? 0);
    return difference !== 0 ? difference : other - one;
  });
  for (const index of order) {
    const line = lines[index] as LabelledLine;
    let best: Candidate | null = null;
    let fewest = Infinity;
    for (const candidate of candidates(line, width)) {
      if (candidate.boxes.some((box) => boxes.some((other) => overlap(box, other)))) continue;
      const crossed = lines.reduce((sum, other) => sum + (other !== line && isCrossed(candidate.boxes, other) ? 1 : 0), 0);
      if (crossed >= fewest) continue;
      [best, fewest] = [candidate, crossed];
      if (crossed === 0) break;
    }
    if (best === null) continue;
    boxes.push(...best.boxes);
    places[index] = best.place;
  }
  return places;
}

interface Candidate {
  place: LabelPlace;
  boxes: Box[];
}

/** Does the line run through the text, from its first to its last box? */
function isCrossed(boxes: readonly Box[], line: LabelledLine): boolean {
  const [first, last] = [boxes[0], boxes[boxes.length - 1]];
  if (first === undefined || last === undefined) return false;
  const [x1, y1, x2, y2] = [first.x, first.y + first.height / 2, last.x + last.width, last.y + last.height / 2];
  const side = (x: number, y: number): number => Math.sign((line.x2 - line.x1) * (y - line.y1) - (line.y2 - line.y1) * (x - line.x1));
  const other = (x: number, y: number): number => Math.sign((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1));
  return side(x1, y1) !== side(x2, y2) && other(line.x1, line.y1) !== other(line.x2, line.y2);
}

function* candidates(line: LabelledLine, width: number): Generator<Candidate> {
  const dx = line.x2 - line.x1;
  const dy = line.y2 - line.y1;
  const length = Math.hypot(dx, dy);
  if (length === 0) return;
  const wide = textWidth(line.text, SIZE);
  let angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  if (angle > 90) angle -= 180;
  if (angle < -90) angle += 180;
  const level = Math.abs(angle) > STEEPEST;
  const shown = level ? 0 : angle;
  const half = Math.min(0.5, wide / 2 / length);
  for (const share of [0.5, 0.4, 0.6, 0.3, 0.7, half, 1 - half]) {
    for (const lift of [ABOVE, BELOW]) {
      const centre = { x: line.x1 + dx * share, y: line.y1 + dy * share };
      const boxes = chain(centre, shown, wide, lift);
      const outside = boxes.some((box) => box.x < 2 || box.x + box.width > width - 2);
      if (outside) continue;
      yield { place: { ...offset(centre, shown, lift), angle: round(shown) }, boxes };
    }
  }
}

/** The text's anchor (its middle, on the baseline), lifted off the line. */
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

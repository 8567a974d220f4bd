/** Places the folds of the space-time diagram, each a text that counts undrawn messages, where no arrow runs. Pure. */

import type { Box } from "./geometry.ts";
import { MARK, overlap, round, textWidth } from "./geometry.ts";

export interface FoldPlace {
  x: number;
  y: number;
  width: number;
  text: string;
  /** The text in fewer words. */
  brief: string;
}

interface Line {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/**
 * Sets x and width of each fold, between `left` and `end` (x in px), so that it covers no arrow and no cell. A fold
 * whose text has no such place gets its brief text, if need be over an arrow at `left`.
 */
export function placeFolds(folds: readonly FoldPlace[], arrows: readonly Line[], cells: readonly Box[], left: number, end: number): void {
  const right = Math.max(left + 60, end);
  const isFree = (x: number, width: number, y: number): boolean =>
    !arrows.some((arrow) => crosses(arrow, x - 10, y - 18, x + width + 10, y + 18))
    && !cells.some((cell) => overlap(cell, { x: x - 4, y: y - 14, width: width + 8, height: 28 }));
  for (const fold of folds) {
    const widths = [fold.text, fold.brief].map((text) => round(Math.min(textWidth(text, MARK) + 26, right - left)));
    const places = widths.flatMap((width, index) =>
      [left, (left + right - width) / 2, right - width].map((x) => ({ x: round(x), width, isBrief: index === 1 })));
    const place = places.find(({ x, width }) => isFree(x, width, fold.y)) ?? { x: left, width: widths[1] ?? 60, isBrief: true };
    fold.x = place.x;
    fold.width = place.width;
    if (place.isBrief) fold.text = fold.brief;
  }
}

/** Whether an arrow runs through a box: whether its part between the box's top and bottom overlaps the box's width. */
function crosses(arrow: Line, left: number, top: number, right: number, bottom: number): boolean {
  if (arrow.y2 <= top || arrow.y1 >= bottom) return false;
  const span = arrow.y2 - arrow.y1 || 1;
  const at = (y: number): number => arrow.x1 + (arrow.x2 - arrow.x1) * Math.min(1, Math.max(0, (y - arrow.y1) / span));
  const [one, other] = [at(top), at(bottom)];
  return Math.max(one, other) > left && Math.min(one, other) < right;
}

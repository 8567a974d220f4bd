/** Where the numbers of an answer stand, and how the line between them goes, so that both leave words readable. Pure. */

import { overlap, round } from "../diagrams/geometry.ts";
import type { Box, Point } from "./contract.ts";

/** Units between two points of a line at which it is tested. */
const STRIDE = 5;
/** By how many units a line may be longer to avoid one point on a word. */
const DETOUR = 40;

export function sharedArea(one: Box, other: Box): number {
  if (!overlap(one, other)) return 0;
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  return width * (Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y));
}

/** The place that covers least; if several are equal, the first. */
export function freest<Place extends Box>(places: readonly Place[], taken: readonly Box[]): Place | undefined {
  let best: Place | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const place of places) {
    const covered = taken.reduce((sum, one) => sum + sharedArea(place, one), 0);
    if (covered < least - 0.5) [best, least] = [place, covered];
    if (covered < 0.5) break;
  }
  return best;
}

/** The corners of a line, which is straight between them. */
type Way = readonly Point[];

/** A line between two points: straight if no word is in between, else round the words. */
export function wayBetween(from: Point, to: Point, words: readonly Box[], within: { width: number; height: number }): string {
  const near = words.map(({ x, y, width, height }): Box => ({ x: x - 2, y: y - 2, width: width + 4, height: height + 4 }));
  const straight = Math.hypot(to[0] - from[0], to[1] - from[1]);
  let best: Way = [from, to];
  let least = Number.POSITIVE_INFINITY;
  for (const way of ways(from, to, within)) {
    const cost = hits(way, near) * DETOUR + lengthOf(way) - straight;
    if (cost < least - 0.5) [best, least] = [way, cost];
  }
  return best.slice(1).map(([x, y]) => `L${round(x)},${round(y)}`).join("");
}

/** The candidates: straight, with one corner, along a line between the points, or past them at the margin. */
function ways(from: Point, to: Point, within: { width: number; height: number }): Way[] {
  const [[x1, y1], [x2, y2]] = [from, to];
  const found: Way[] = [[from, to], [from, [x2, y1], to], [from, [x1, y2], to]];
  const between = (one: number, other: number, most: number): number[] =>
    [0.5, 0.25, 0.75, 0.12, 0.88, -0.2, 1.2].map((share) => one + (other - one) * share).concat(one - 24, one + 24, other - 24, other + 24, 10, most - 10)
      .filter((at) => at >= 6 && at <= most - 6);
  for (const x of between(x1, x2, within.width)) found.push([from, [x, y1], [x, y2], to], [from, [x, (y1 + y2) / 2], to]);
  for (const y of between(y1, y2, within.height)) found.push([from, [x1, y], [x2, y], to], [from, [(x1 + x2) / 2, y], to]);
  return found;
}

function lengthOf(way: Way): number {
  return way.slice(1).reduce((sum, [x, y], index) => {
    const [fromX, fromY] = way[index] as Point;
    return sum + Math.hypot(x - fromX, y - fromY);
  }, 0);
}

/** How many points of the line are on words. */
function hits(way: Way, words: readonly Box[]): number {
  let count = 0;
  way.slice(1).forEach(([x, y], index) => {
    const [fromX, fromY] = way[index] as Point;
    const pieces = Math.max(1, Math.ceil(Math.hypot(x - fromX, y - fromY) / STRIDE));
    for (let piece = 0; piece <= pieces; piece += 1) {
      const [atX, atY] = [fromX + ((x - fromX) * piece) / pieces, fromY + ((y - fromY) * piece) / pieces];
      if (words.some((one) => one.x <= atX && atX <= one.x + one.width && one.y <= atY && atY <= one.y + one.height)) count += 1;
    }
  });
  return count;
}

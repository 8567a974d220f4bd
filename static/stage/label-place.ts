/**
 * Finds a place for a label: on free space, wholly inside or wholly outside each component's box, and in no box that it
 * is not about. It gets the first of its preferred places that is free, else the nearest free place, else the place
 * that covers least. Pure.
 */

import { overlapArea, round } from "../diagrams/geometry.ts";
import type { Box } from "./contract.ts";

export type Spot = readonly [x: number, y: number];

export interface Around {
  /** Boxes that a label should not cover: what it covers of them is its cost. */
  taken: readonly Box[];
  /** The boxes of components that the label is about. A place on an edge of one costs the smaller part of the label. */
  own: readonly Box[];
  /** The boxes of other components. What the label covers of them is its cost, too. */
  others: readonly Box[];
  /** The box of the picture: the label is inside it. */
  within: Box;
  /** The cost, in square units, of a place at (x, y) for its distance from the label's subject; missing: 0. */
  away?: (y: number, x: number) => number;
  /** From x of a place → further distances to its left or right, in units, at which a free place is looked for. */
  across?: (x: number) => readonly number[];
}

export interface LabelPlace {
  x: number;
  y: number;
  /** The cost of the place in square units: the area that the label covers, plus other costs. */
  covers: number;
}

/** A place that covers at most so many square units counts as free. */
export const COVERS = 60;
/** Least distance of a label from the edges of `within`, in units. */
export const EDGE = 4;
/**
 * In units. `y`: how far above or below its preferred place a label may be in order to cover nothing; `step`: the
 * distance between the places that are tried. `ACROSS`: the distances to the left and right that are tried.
 */
const FAR = { y: 220, step: 6 };
const ACROSS = Array.from({ length: 17 }, (_, index) => (index - 8) * 4 * FAR.step);
/** One square unit that is covered costs as much as so many units of distance from the preferred place. */
const COVERED = 3;

export function labelPlace({ width, height }: { width: number; height: number }, suiting: readonly Spot[], around: Around): LabelPlace {
  const { within } = around;
  const [right, bottom] = [within.x + within.width - EDGE - width, within.y + within.height - EDGE - height];
  const spots = suiting.map(([x, y]): Spot => [Math.max(within.x + EDGE, Math.min(right, x)), Math.max(within.y + EDGE, Math.min(bottom, y))]);
  const costAt = ([x, y]: Spot): number => costOf({ x, y, width, height }, around);
  let best: Spot = spots[0] ?? [within.x + EDGE, within.y + EDGE];
  let least = Number.POSITIVE_INFINITY;
  for (const spot of spots) {
    const cost = costAt(spot);
    if (cost < least) [best, least] = [spot, cost];
    if (cost < 0.5) break;
  }
  if (least <= COVERS) return { x: round(best[0]), y: round(best[1]), covers: least };
  let found = best;
  let cost = least * COVERED;
  for (let down = -FAR.y; down <= FAR.y; down += FAR.step) {
    for (const across of [...ACROSS, ...(around.across?.(best[0]) ?? [])]) {
      const spot: Spot = [best[0] + across, best[1] + down];
      const isInside = spot[0] >= within.x + EDGE && spot[1] >= within.y + EDGE && spot[0] <= right && spot[1] <= bottom;
      const far = Math.abs(across) + Math.abs(down);
      if (!isInside || far >= cost) continue;
      const all = costAt(spot) * COVERED + far;
      if (all < cost) [found, cost] = [spot, all];
    }
  }
  return { x: round(found[0]), y: round(found[1]), covers: costAt(found) };
}

function costOf(at: Box, { taken, own, others, away }: Around): number {
  const padded = { x: at.x - 2, y: at.y - 1, width: at.width + 4, height: at.height + 2 };
  const area = at.width * at.height;
  const covered = taken.reduce((sum, one) => sum + overlapArea(one, padded), 0);
  const across = own.reduce((sum, one) => {
    const inside = overlapArea(one, at);
    return sum + Math.min(inside, area - inside);
  }, 0);
  return covered + across + others.reduce((sum, one) => sum + overlapArea(one, at), 0) + (away?.(at.y, at.x) ?? 0);
}

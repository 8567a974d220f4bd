/**
 * Finds a place for the toolbar with the actions on a thing on the stage: next to the thing, and not over things that
 * must stay visible (`standing`). Pure.
 */

import { overlapArea } from "../diagrams/geometry.ts";
import type { Box } from "./contract.ts";

type Size = Pick<Box, "width" | "height">;
/** `GAP`: px between a thing and its toolbar. `EDGE`: px between the toolbar and the edges of the picture. */
const GAP = 8;
const EDGE = 4;

/** 1 px of distance from the thing costs as much as so many covered px². */
const NEAR = 10;

type Place = Pick<Box, "x" | "y">;

/**
 * The place for a toolbar of size `own` left or right of the thing `at`, level with its top, bottom or middle, where
 * the toolbar covers least. `room`: the size of the picture. Null if neither side has room.
 */
export function placeBeside(own: Size, at: Box, room: Size, standing: readonly Box[]): Place | null {
  const ys = [at.y, at.y + at.height - own.height, at.y + (at.height - own.height) / 2].map((y) => Math.max(EDGE, Math.min(y, room.height - own.height - EDGE)));
  const xs = [at.x - own.width - GAP, at.x + at.width + GAP].filter((x) => x >= GAP && x + own.width <= room.width - GAP);
  return least(xs.flatMap((x) => ys.map((y) => ({ x, y }))), (place) => covered(own, place, standing));
}

/**
 * The place below or above the thing `at`, or below or above one of `standing`, that costs least: near to the thing,
 * with little covered. Parameters as of `placeBeside`.
 */
export function placeNear(own: Size, at: Box, room: Size, standing: readonly Box[]): Place {
  const rows = [at, ...standing].flatMap(({ y, height }) => [y + height + 6, y - own.height - 9]).filter((y) => y >= EDGE && y + own.height <= room.height - EDGE);
  const places = (rows.length === 0 ? [EDGE] : rows).flatMap((y) => {
    const sides = standing.filter((one) => one.y < y + own.height && one.y + one.height > y).flatMap(({ x, width }) => [x - own.width - EDGE, x + width + EDGE]);
    return [at.x + (at.width - own.width) / 2, at.x, at.x + at.width - own.width, ...sides].map((x) => ({ x: Math.max(GAP, Math.min(x, room.width - own.width - GAP)), y }));
  });
  const far = ({ x, y }: Place): number => Math.abs(x + own.width / 2 - at.x - at.width / 2) / 2 + Math.abs(y + own.height / 2 - at.y - at.height / 2);
  return least(places, (place) => covered(own, place, [at, ...standing]) + NEAR * far(place)) as Place;
}

/** The area of the things in `standing` that the toolbar would cover, in px². */
function covered(own: Size, { x, y }: Place, standing: readonly Box[]): number {
  return standing.reduce((sum, one) => sum + overlapArea({ ...own, x, y }, one), 0);
}

function least(places: readonly Place[], cost: (place: Place) => number): Place | null {
  return places.reduce<Place | null>((best, one) => (best === null || cost(one) < cost(best) ? one : best), null);
}

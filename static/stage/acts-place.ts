/** Where the acts on a thing of the stage stand: at it, and not over what has to be seen with it. Pure. */

import type { Box } from "./contract.ts";

type Size = Pick<Box, "width" | "height">;
/** px between a thing and its acts, and from them to the edges of the picture. */
const GAP = 8;
const EDGE = 4;

/** Left or right of a thing, at its head or its foot, where nothing stands; else where least of it is covered. Null where the sides have no room. */
export function placeBeside(own: Size, at: Box, room: Size, standing: readonly Box[]): Pick<Box, "x" | "y"> | null {
  const ys = [at.y, at.y + at.height - own.height, at.y + (at.height - own.height) / 2].map((y) => Math.max(EDGE, Math.min(y, room.height - own.height - EDGE)));
  const xs = [at.x - own.width - GAP, at.x + at.width + GAP].filter((x) => x >= GAP && x + own.width <= room.width - GAP);
  const covered = ({ x, y }: Pick<Box, "x" | "y">): number => standing.reduce((sum, one) =>
    sum + Math.max(0, Math.min(x + own.width, one.x + one.width) - Math.max(x, one.x)) * Math.max(0, Math.min(y + own.height, one.y + one.height) - Math.max(y, one.y)), 0);
  const places = xs.flatMap((x) => ys.map((y) => ({ x, y })));
  return places.reduce<Pick<Box, "x" | "y"> | null>((best, one) => (best === null || covered(one) < covered(best) ? one : best), null);
}

/** Under a thing, else over it. */
export function placeUnder(own: Size, at: Box, room: Size): Pick<Box, "x" | "y"> {
  const under = at.y + at.height + 6;
  return {
    x: Math.max(GAP, Math.min(at.x + at.width / 2 - own.width / 2, room.width - own.width - GAP)),
    y: under + own.height <= room.height - EDGE ? under : Math.max(EDGE, at.y - own.height - 6),
  };
}

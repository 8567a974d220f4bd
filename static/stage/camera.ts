/**
 * A closer look for the back of a room: the part of the picture that cause and effect of a step fill, in the picture's own
 * shape. Places stay where they are. Pure.
 */

import { round } from "../diagrams/geometry.ts";
import type { Box, Places, StageObject } from "./contract.ts";

/** Of the picture's width, the least that is shown: closer, nobody knows where it is. */
const CLOSEST = 0.64;
const MARGIN = 30;

export function cameraOf(objects: readonly StageObject[], here: Places): Box {
  const whole: Box = { x: 0, y: 0, width: here.width, height: here.height };
  const hot = objects.filter((object) => object.hot === true && object.width > 0);
  if (hot.length === 0 || here.upright) return whole;
  const left = Math.min(...hot.map(({ x }) => x)) - MARGIN;
  const top = Math.min(...hot.map(({ y }) => y)) - MARGIN;
  const right = Math.max(...hot.map(({ x, width }) => x + width)) + MARGIN;
  const bottom = Math.max(...hot.map(({ y, height }) => y + height)) + MARGIN;
  const shape = here.width / here.height;
  const width = Math.max(right - left, (bottom - top) * shape, here.width * CLOSEST);
  if (width >= here.width) return whole;
  const height = width / shape;
  const x = Math.min(Math.max((left + right - width) / 2, 0), here.width - width);
  const y = Math.min(Math.max((top + bottom - height) / 2, 0), here.height - height);
  return { x: round(x), y: round(y), width: round(width), height: round(height) };
}

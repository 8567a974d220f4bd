/** The size of a step's tag. Pure. */

import { round } from "../diagrams/geometry.ts";
import { textWidth } from "./draw.ts";

/** The height of the largest tag, in units. */
export const HEIGHT = 28;
const ERROR_NAME = /^[A-Z_]{12,}$/;

/**
 * The width of a tag in units. Names of errors are narrower than their estimate; the smallest letters have less space
 * around them, too.
 */
export function tagWidth(said: string, size: number): number {
  return round(textWidth(said, size, true) * (ERROR_NAME.test(said) ? 0.9 : 1) + (size > 12 ? 22 : 12));
}

export function tagHeight(size: number): number {
  return size >= 17 ? HEIGHT : size >= 15 ? 26 : size >= 13 ? 24 : 22;
}

/** The records that have broken a guarantee, as the engine tells them. Pure. */

import type { Frame } from "../player/frame.ts";
import { found } from "./reading.ts";

type Told = Record<string, boolean> | readonly number[];

const sets = new WeakMap<Told, ReadonlySet<number>>();
const NONE: readonly number[] = [];

/** A recording that was kept before the engine told all of them has those of the first break. */
export function brokenRecords(frame: Frame, guarantee: string): ReadonlySet<number> {
  const told = found(frame, `broken ${guarantee}`, ({ view }): Told =>
    view.derived?.broken[guarantee] ?? view.guarantees?.[guarantee]?.serials ?? NONE);
  let known = sets.get(told);
  if (known === undefined) {
    known = new Set(Array.isArray(told) ? told : Object.keys(told).map(Number));
    sets.set(told, known);
  }
  return known;
}

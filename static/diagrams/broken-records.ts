/** The records that have broken a guarantee, according to the engine. Pure. */

import type { Frame, LogBatchView } from "../player/frame.ts";
import { basesOfSerial } from "./bases-of-serial.ts";
import { found } from "./reading.ts";

type Serials = Record<string, boolean> | readonly number[];

const sets = new WeakMap<Serials, ReadonlySet<number>>();
const NONE: readonly number[] = [];

/**
 * The serials of the records that have broken a guarantee. A recording made before the engine named all of them has
 * only those of the first break.
 */
export function brokenRecords(frame: Frame, guarantee: string): ReadonlySet<number> {
  const serials = found(frame, `broken ${guarantee}`, ({ view }): Serials =>
    view.derived?.broken[guarantee] ?? view.guarantees?.[guarantee]?.serials ?? NONE);
  let known = sets.get(serials);
  if (known === undefined) {
    known = new Set(Array.isArray(serials) ? serials : Object.keys(serials).map(Number));
    sets.set(serials, known);
  }
  return known;
}

/** The serials of all records that have broken a guarantee, in the order of the guarantees. */
export function allBroken(frame: Frame): number[] {
  return Object.keys(frame.view.guarantees ?? {}).flatMap((guarantee) => [...brokenRecords(frame, guarantee)]);
}

/** Whether one of these records, in any of its copies, has broken a guarantee. */
export function isAnyBroken(frame: Frame, serials: readonly number[]): boolean {
  return Object.keys(frame.view.guarantees ?? {}).some((guarantee) => serials.some((serial) => brokenRecords(frame, guarantee).has(serial)));
}

type Held = Pick<LogBatchView, "base_offset" | "control" | "serials">;
type Batches = Record<string, LogBatchView>;

/**
 * Whether the record in this batch counts as a copy: a listed batch at a lower offset holds it, too, or no other listed
 * batch holds it. False for the first of several listed copies.
 */
export function isCopy(serial: number, { base_offset: base }: Pick<Held, "base_offset">, batches: Batches): boolean {
  const bases = basesOfSerial(batches, serial);
  return bases.some((other) => other < base) || bases.every((other) => other === base);
}

export interface Broken {
  guarantee: string;
  /** The serials of the batch's records that have broken the guarantee. */
  serials: readonly number[];
}

/** The guarantees that records of a batch have broken, each with these records. `batches`: all batches of its log. */
export function brokenIn(frame: Frame, batch: Held, batches: Batches): Broken[] {
  if (batch.control !== null) return [];
  return Object.keys(frame.view.guarantees ?? {}).flatMap((guarantee) => {
    const broken = brokenRecords(frame, guarantee);
    const held = broken.size === 0 ? [] : batch.serials.filter((serial) => broken.has(serial));
    const serials = guarantee === "duplicated" ? held.filter((serial) => isCopy(serial, batch, batches)) : held;
    return serials.length === 0 ? [] : [{ guarantee, serials }];
  });
}

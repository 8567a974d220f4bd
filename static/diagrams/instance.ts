/**
 * The colour of a batch: all epochs of one producer id have one colour. Batches of a fenced epoch are not filled,
 * except for those in a log whose transaction is decided, because these are valid. Pure.
 */

import type { Frame, LogBatchView, View } from "../player/frame.ts";
import type { Id } from "./batch.ts";
import { hueOf, isAbsent } from "./batch.ts";

/** Whether the epoch is fenced, according to the engine. */
export function isFenced(view: View, producerId: Id, epoch: Id): boolean {
  const highest = view.derived?.fenced?.[String(producerId)];
  return highest !== undefined && !isAbsent(epoch) && Number(epoch) <= highest;
}

/**
 * The CSS classes for a thing of a producer's epoch: the colour of its id from `here.hue`, and `old` if it is fenced.
 */
export function hueIn(view: View, here: { hue: (producerId: Id) => string }, producerId: Id, epoch: Id): string {
  return `${here.hue(producerId)}${isFenced(view, producerId, epoch) ? " old" : ""}`;
}

/** Whether the transaction of a stored batch is undecided in this log. */
export function isOpen({ outcome }: LogBatchView): boolean {
  return outcome === "open" || outcome === "ended";
}

/** As `hueIn`, for a batch in a log. */
export function hueInLog(view: View, here: { hue: (producerId: Id) => string }, batch: LogBatchView): string {
  return isOpen(batch) ? hueIn(view, here, batch.producer_id, batch.producer_epoch) : here.hue(batch.producer_id);
}

export function batchHue({ view, plan }: Frame, producerId: Id, epoch: Id): string {
  return hueIn(view, { hue: (id) => hueOf(id, plan) }, producerId, epoch);
}

/** As `batchHue`, for a batch in a log. */
export function batchHueInLog({ view, plan }: Frame, batch: LogBatchView): string {
  return hueInLog(view, { hue: (id) => hueOf(id, plan) }, batch);
}

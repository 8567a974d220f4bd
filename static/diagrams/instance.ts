/** All epochs of one producer id have one colour: what is of a fenced epoch is not filled. Pure. */

import type { Frame, View } from "../player/frame.ts";
import type { Id } from "./batch.ts";
import { hueOf, isAbsent } from "./batch.ts";

/** Whether the epoch is fenced (the engine's fact). */
export function isFenced(view: View, producerId: Id, epoch: Id): boolean {
  const highest = view.derived?.fenced?.[String(producerId)];
  return highest !== undefined && !isAbsent(epoch) && Number(epoch) <= highest;
}

/** Classes of what has the colour of a producer id; on the stage, `here` has the colours. */
export function hueIn(view: View, here: { hue: (producerId: Id) => string }, producerId: Id, epoch: Id): string {
  return `${here.hue(producerId)}${isFenced(view, producerId, epoch) ? " old" : ""}`;
}

export function batchHue({ view, plan }: Frame, producerId: Id, epoch: Id): string {
  return hueIn(view, { hue: (id) => hueOf(id, plan) }, producerId, epoch);
}

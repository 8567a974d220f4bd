/** Old and new instances of one producer id have one colour: what is of a fenced epoch is not filled. Pure. */

import type { Id } from "../diagrams/batch.ts";
import { isAbsent } from "../diagrams/batch.ts";
import type { View } from "../player/frame.ts";
import type { Places } from "./contract.ts";

/** Whether a newer instance has a higher epoch of the same id (the engine's fact). */
export function isFenced(view: View, producerId: Id, epoch: Id): boolean {
  const highest = view.derived?.fenced?.[String(producerId)];
  return highest !== undefined && !isAbsent(epoch) && Number(epoch) <= highest;
}

/** Classes of what has the colour of a producer id. */
export function hueIn(view: View, here: Places, producerId: Id, epoch: Id): string {
  return `${here.hue(producerId)}${isFenced(view, producerId, epoch) ? " old" : ""}`;
}

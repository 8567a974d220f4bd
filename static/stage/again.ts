/** Finds the records that a consumer received more than once because the log holds them more than once. Pure. */

import { batchAt, serialAt } from "../diagrams/leader-log.ts";
import type { ReaderLaneView } from "../generated/messages.ts";
import type { LogBatchView } from "../player/frame.ts";

/**
 * The serials of the records that the consumer of a lane received again, in the order in which it did. `duplicated`:
 * the serials of the records that the log holds more than once.
 */
export function readAgain(lane: Pick<ReaderLaneView, "stretches">, batches: readonly LogBatchView[], duplicated: ReadonlySet<number>): number[] {
  if (duplicated.size === 0) return [];
  const got = new Set<number>();
  const again = new Set<number>();
  for (const [first, last, fate] of lane.stretches ?? []) {
    for (let offset = first; fate === "delivered" && offset <= last; offset += 1) {
      const serial = serialAt(batchAt(batches, offset), offset);
      if (serial === null || !duplicated.has(serial)) continue;
      (got.has(serial) ? again : got).add(serial);
    }
  }
  return [...again];
}

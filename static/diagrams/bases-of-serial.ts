/** Finds the batches of a log that hold a record. Pure. */

import type { LogBatchView } from "../player/frame.ts";

const bySerial = new WeakMap<Record<string, LogBatchView>, Map<number, number[]>>();

/** Base offsets of the batches that hold a record, oldest first. The index is built at the first call. */
export function basesOfSerial(batches: Record<string, LogBatchView>, serial: number): readonly number[] {
  let index = bySerial.get(batches);
  if (index === undefined) {
    index = new Map();
    for (const batch of Object.values(batches)) {
      for (const held of batch.serials) {
        const bases = index.get(held);
        if (bases === undefined) index.set(held, [batch.base_offset]);
        else bases.push(batch.base_offset);
      }
    }
    bySerial.set(batches, index);
  }
  return index.get(serial) ?? [];
}

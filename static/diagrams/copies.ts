/** How often each record stands in a log, counted from its batches. Pure. */

import type { GuaranteeView, LogBatchView } from "../player/frame.ts";

export interface Copies {
  /** Serial to how many batches hold it. */
  all: ReadonlyMap<number, number>;
  /** Serials that more than one batch holds whose transaction was not aborted. */
  twice: ReadonlySet<number>;
}

const NONE: Copies = { all: new Map(), twice: new Set() };
/** The log's own batches object is the key of the memory: views are never written to. */
const counted = new WeakMap<object, Copies>();

export function copiesIn(batches: Record<string, LogBatchView> | undefined): Copies {
  if (batches === undefined) return NONE;
  let known = counted.get(batches);
  if (known === undefined) {
    known = count(Object.values(batches));
    counted.set(batches, known);
  }
  return known;
}

/**
 * The records of a log that the judges call duplicated. They name those of the first break and count all; where there
 * are more than they name, the further ones are those that stand twice.
 */
export function duplicatedIn(judged: GuaranteeView | undefined, batches: Record<string, LogBatchView> | undefined): ReadonlySet<number> {
  const named = judged?.serials ?? [];
  const further = (judged?.count ?? 0) > named.length ? copiesIn(batches).twice : [];
  return new Set([...named, ...further]);
}

function count(batches: readonly LogBatchView[]): Copies {
  const all = new Map<number, number>();
  const standing = new Set<number>();
  const twice = new Set<number>();
  for (const batch of batches) {
    const isAborted = batch.outcome === "aborted";
    for (const serial of batch.serials) {
      all.set(serial, (all.get(serial) ?? 0) + 1);
      if (isAborted) continue;
      if (standing.has(serial)) twice.add(serial);
      standing.add(serial);
    }
  }
  return { all, twice };
}

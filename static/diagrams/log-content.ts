/**
 * The content of a batch of an internal log: the image of a transactional id, or an offset of a group. Pure.
 *
 * An image is named by the transaction's state, with the transactional id under it. A group's offset is named by its
 * partition and offset, with the group under it. If a batch has several records, the newest is named and the number of
 * the others follows.
 */

import type { Frame, Json, LogBatchView } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { isOfPicked } from "./transaction-picked.ts";

export interface ContentWords {
  /** The state, or partition and offset: `PrepareCommit`, `in-0 → 2`. */
  what: string;
  /** The transactional id, or the group: `txn-1`, `g`. */
  whose: string;
}

/** The content of a batch; null for markers, and for batches with records of applications, which have serials. */
export function contentWords(batch: LogBatchView): ContentWords | null {
  const content = batch.content;
  const last = (content?.keys.length ?? 0) - 1;
  if (content === undefined || last < 0 || batch.control !== null || batch.serials.length > 0) return null;
  const { what, whose } = recordWords(content.keys[last] ?? null, content.values[last] ?? null);
  return { what: last > 0 ? `${what} ${say("diagram.and_more", { count: last })}` : what, whose };
}

export function recordWords(key: Json, value: Json): ContentWords {
  const [whose, partition] = Array.isArray(key) ? [String(key[0]), String(key[1])] : [String(key), null];
  const fields = typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  if (fields === null) {
    const gone = say("diagram.internal_log.tombstone");
    return { what: partition === null ? gone : `${partition} ${gone}`, whose };
  }
  return { what: "state" in fields ? String(fields["state"]) : `${partition ?? ""} → ${String(fields["offset"])}`, whose };
}

/** Whether the batch holds an image of the selected transaction in `__transaction_state`. */
export function isImageOfPicked(frame: Frame, batch: LogBatchView): boolean {
  return batch.content !== undefined && batch.serials.length === 0 &&
    batch.content.keys.some((key) => typeof key === "string" && isOfPicked(frame, { transaction: key }));
}

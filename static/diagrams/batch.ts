/**
 * How a batch is written and coloured, in the same way in every panel: `PID·epoch | first–last`; the colour stands for
 * the producer id.
 */

import type { ClientBatchView, LogBatchView, Plan } from "../player/frame.ts";
import { listed } from "../player/joins.ts";
import { say } from "../player/text.ts";

/** The number of producer colours (tokens `--p0` to `--p5`). The seventh producer has the colour of the first. */
export const HUES = 6;

/** A 64-bit id beyond 2^53 arrives as text. */
export type Id = number | string | null | undefined;

/**
 * The class of a producer's colour; `plain` for batches without a producer id (null, or −1 as Kafka writes it). Colours
 * follow the order of the plan, as on the stage; an id that no plan knows gets one by its number.
 */
export function hueOf(producerId: Id, plan: Pick<Plan, "hues"> | null = null): string {
  if (isAbsent(producerId)) return "plain";
  const place = plan?.hues[String(producerId)];
  if (place !== undefined) return `b${place % HUES}`;
  const hue = Number(((BigInt(producerId as number | string) % BigInt(HUES)) + BigInt(HUES)) % BigInt(HUES));
  return `b${hue}`;
}

export function isAbsent(value: Id): boolean {
  return value === null || value === undefined || value === -1 || value === "-1";
}

/** `0·0`; null for a batch without a producer id. */
export function identity(producerId: Id, epoch: Id): string | null {
  return isAbsent(producerId) ? null : `${producerId}·${isAbsent(epoch) ? "?" : epoch}`;
}

/** `3`, or `3–5`. Also for offsets. */
export function range(first: Id, last: Id): string {
  return first === last ? `${first}` : `${first}–${last}`;
}

/** The sequences of a batch, or the catalogue's words for "none yet". */
export function sequences(first: Id, last: Id): string {
  return isAbsent(first) ? say("diagram.batch.no_sequence") : range(first, last);
}

/**
 * Serials as text, each with an `r`: `r1–r3`. Consecutive serials are joined to a range; at most three ranges are
 * named.
 */
export function serialsText(serials: readonly number[]): string {
  const runs: string[] = [];
  let start = 0;
  for (let index = 1; index <= serials.length; index++) {
    if (index < serials.length && serials[index] === (serials[index - 1] as number) + 1) continue;
    const first = serials[start] as number;
    const last = serials[index - 1] as number;
    runs.push(first === last ? `r${first}` : `r${first}–r${last}`);
    start = index;
  }
  if (runs.length <= 3) return listed(runs);
  return say("diagram.batch.more_runs", { runs: runs.slice(0, 2), more: runs.length - 2 });
}

/** The records of a batch by serial; records that no application sent have no serials, and are counted. */
export function recordsText({ serials, record_count: count }: Pick<Labelled, "serials" | "record_count">): string {
  return serials.length > 0 ? serialsText(serials) : say("diagram.batch.records", { count });
}

export interface Labelled {
  producer_id: Id;
  producer_epoch: Id;
  first_sequence: Id;
  last_sequence: Id;
  serials: readonly number[];
  record_count: number;
}

/** `0·0 | 0–2`; `0–2` if `short`; a batch without a producer id is named by its records. */
export function batchLabel(batch: Labelled, short = false): string {
  const who = identity(batch.producer_id, batch.producer_epoch);
  if (who === null) {
    return recordsText(batch);
  }
  const numbers = sequences(batch.first_sequence, batch.last_sequence);
  return short ? numbers : `${who} | ${numbers}`;
}

/** A batch in words, for the texts of diagrams and names of buttons. */
export function batchWords(batch: Labelled): string {
  if (isAbsent(batch.producer_id)) {
    return say("diagram.batch.plain_words", { records: recordsText(batch) });
  }
  return say("diagram.batch.words", {
    producer_id: batch.producer_id as number,
    producer_epoch: batch.producer_epoch as number,
    sequences: sequences(batch.first_sequence, batch.last_sequence),
  });
}

const KIB = 1024;

/** A number of bytes in binary units with at most one decimal: `170 B`, `16 KiB`, `32 MiB`. */
export function bytes(count: number): string {
  if (count < KIB) return `${count} B`;
  if (count < KIB * KIB) return `${shortNumber(count / KIB)} KiB`;
  return `${shortNumber(count / KIB / KIB)} MiB`;
}

function shortNumber(value: number): string {
  return String(value >= 100 ? Math.round(value) : Math.round(value * 10) / 10);
}

export type AnyBatch = ClientBatchView | LogBatchView;

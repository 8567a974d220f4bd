/** The batch that arrived at a partition's log in a step, as the engine reports it. Pure. */

import type { Frame, LogBatchView } from "../player/frame.ts";
import type { Id } from "./batch.ts";
import { changesAt } from "./changes.ts";
import type { ArrivalShape } from "./lane-shapes.ts";
import type { ContentWords } from "./log-content.ts";
import { contentWords } from "./log-content.ts";
import { found } from "./reading.ts";

export interface Arrived {
  fate: ArrivalShape["fate"];
  producerId: Id;
  epoch: Id;
  first: Id;
  last: Id;
  serials: readonly number[];
  count: number | null;
  /** COMMIT or ABORT for a marker, which has no sequence numbers. */
  control?: string | null;
  /** The content in words, for a record of an internal log. */
  content?: ContentWords | null;
  /** Base offset of the equal stored batch, or of the batch just appended; null: neither. */
  at: number | null;
}

/** Base offsets that this step added to a replica, lowest first. */
export function landedOffsets(frame: Frame, partition: string, replica: string): number[] {
  return found(frame, `landed ${partition} ${replica}`, (whole) => landedIn(whole, partition, replica));
}

function landedIn(frame: Frame, partition: string, replica: string): number[] {
  const landed: number[] = [];
  for (const change of changesAt(frame, "partitions", partition)) {
    const [room, name, kind, id, table, base] = change.path;
    if (room !== "partitions" || name !== partition || kind !== "replicas" || id !== replica) continue;
    if (table === "batches" && base !== undefined && change.path.length === 6 && change.before === undefined) {
      landed.push(Number(base));
    }
  }
  return landed.sort((one, other) => one - other);
}

/** The batch that arrived at the leader in this step; null if none arrived at this partition. */
export function arrivedNow(frame: Frame, partition: string, replicaId: string): Arrived | null {
  return found(frame, `arrived ${partition} ${replicaId}`, (whole) => arrivedIn(whole, partition, replicaId));
}

function arrivedIn({ step, view }: Frame, partition: string, replicaId: string): Arrived | null {
  const arrival = step?.derived?.arrivals?.find((one) => one.partition === partition && one.broker === replicaId);
  const replica = view.partitions?.[partition]?.replicas[replicaId];
  if (arrival === undefined || replica === undefined) return null;
  const stored = arrival.at === null ? undefined : replica.batches[String(arrival.at)];
  if (arrival.fate === "appended") return stored === undefined ? null : fromStored(stored, "appended");
  const { producer_id, producer_epoch, first_sequence, last_sequence } = numbersArrived(step, partition);
  return {
    fate: arrival.fate,
    producerId: producer_id,
    epoch: producer_epoch,
    first: first_sequence,
    last: last_sequence,
    serials: stored?.serials ?? [],
    count: countOf(first_sequence, last_sequence),
    control: arrival.control ?? null,
    at: arrival.at,
  };
}

/**
 * The numbers of the batch that arrived in a step: those that the receiver compared. If it refused the request before
 * it checked the batch, the numbers that the batch itself had.
 */
export function numbersArrived(step: Frame["step"], partition: string | null): Readonly<Record<string, Id>> {
  const unchecked = step?.derived?.arrivals?.find((one) => one.partition === partition)?.batch;
  return { ...(unchecked ?? (step?.decision?.arrived as Record<string, Id> | undefined)) };
}

function fromStored(batch: LogBatchView, fate: Arrived["fate"]): Arrived {
  return {
    fate,
    producerId: batch.producer_id,
    epoch: batch.producer_epoch,
    first: batch.first_sequence,
    last: batch.last_sequence,
    serials: batch.serials,
    count: batch.record_count,
    control: batch.control,
    content: contentWords(batch),
    at: batch.base_offset,
  };
}

function countOf(first: Id, last: Id): number | null {
  return typeof first === "number" && typeof last === "number" && last >= first ? last - first + 1 : null;
}

/** Finds the leader's log of a partition, and the batch and record at an offset of it. Pure. */

import type { LogBatchView, PartitionView, ReplicaView } from "../player/frame.ts";

/** The replica of the partition's leader; undefined if the partition is unknown or has no leader. */
export function leaderLog(partition: PartitionView | undefined): ReplicaView | undefined {
  return partition?.leader == null ? undefined : partition.replicas[String(partition.leader)];
}

/** The batches of the leader's log that are in the view; none if there is no such log. */
export function leaderBatches(partition: PartitionView | undefined): LogBatchView[] {
  return Object.values(leaderLog(partition)?.batches ?? {});
}

/** The batch that holds the offset; undefined if none of the batches does. */
export function batchAt(batches: readonly LogBatchView[], offset: number): LogBatchView | undefined {
  return batches.find(({ base_offset: first, last_offset: last }) => first <= offset && offset <= last);
}

/** The serial of the record at an offset of a batch; null for a marker or a record that no application sent. */
export function serialAt(batch: LogBatchView | undefined, offset: number): number | null {
  return batch === undefined || batch.control !== null ? null : (batch.serials[offset - batch.base_offset] ?? null);
}

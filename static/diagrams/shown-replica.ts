/** Chooses the replica of a partition that is shown. Pure. */

import type { PartitionView } from "../player/frame.ts";

/**
 * The broker id of the replica that a lane shows: the leader; without a leader, the replica with the longest log, of
 * several the lowest id. Null if the partition has no replica.
 */
export function shownReplica(partition: PartitionView): string | null {
  if (partition.leader !== null && String(partition.leader) in partition.replicas) return String(partition.leader);
  let longest: string | null = null;
  for (const id of Object.keys(partition.replicas).sort((one, other) => Number(one) - Number(other))) {
    const end = partition.replicas[id]?.log_end ?? 0;
    if (longest === null || end > (partition.replicas[longest]?.log_end ?? 0)) longest = id;
  }
  return longest;
}

/** Which replica of a partition is shown. Pure. */

import type { PartitionView } from "../player/frame.ts";

/**
 * The replica that a lane shows: the leader's; without a leader, the longest log, lowest id first. Null if there is
 * none.
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

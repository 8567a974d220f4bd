/** Functions that say of a frame whether the run has content for a panel, or whether the step is about it. Pure. */

import { INTERNAL, hasMarkers } from "../diagrams/internal-partitions.ts";
import { shownReplica } from "../diagrams/shown-replica.ts";
import { isLogCase } from "../diagrams/log-case.ts";
import type { Frame, ReplicaView } from "./frame.ts";
import { keeperOf } from "./terms.ts";

type Asked = (frame: Frame) => boolean;

const some = (table: object | undefined): boolean => Object.keys(table ?? {}).length > 0;
const brokers = (frame: Frame) => Object.values(frame.view.brokers ?? {});

/** Whether the run has Kafka. False only in a run of the message middleware alone. */
export const kafka: Asked = (frame) => !some(frame.view.middleware?.participants) || some(frame.view.brokers);
/** Whether the run has components that work, and is not a log case, whose files show only what was written. */
export const works: Asked = (frame) => !isLogCase(frame);
export const clients: Asked = (frame) => kafka(frame) && works(frame);
/**
 * Whether a step has happened: before the first one, most panels are empty, and a reader sees only those with content.
 */
export const begun: Asked = (frame) => frame.step !== null;
export const worksNow: Asked = (frame) => begun(frame) && works(frame);
export const clientsNow: Asked = (frame) => begun(frame) && clients(frame);
/** Whether the cluster has a controller quorum with its own log, and no ZooKeeper. */
export const hasQuorum: Asked = (frame) => keeperOf(frame.view) === "quorum";
/** Whether an operator has run the tool. */
export const hasTool: Asked = (frame) => frame.view.tool !== undefined;
export const decided: Asked = (frame) => frame.step?.decision != null;
export const refused: Asked = (frame) => frame.step?.refusal != null;
export const decides: Asked = (frame) => clientsNow(frame) || decided(frame) || refused(frame);
export const sends: Asked = (frame) => some(frame.view.clients);
export const reads: Asked = (frame) => frame.header.actors.some((actor) => actor.role === "consumer");
/** Whether the view has brokers, which a log case has not. */
export const runs: Asked = (frame) => some(frame.view.brokers);
export const isFromFiles: Asked = (frame) => isLogCase(frame);
export const hasLog: Asked = ({ header }) => header.partitions.length > 0;

/** For each partition, the replica that panels draw. */
const replicas = (frame: Frame): { name: string; replica: ReplicaView | undefined }[] =>
  Object.entries(frame.view.partitions ?? {}).map(([name, partition]) => {
    const id = shownReplica(partition);
    return { name, replica: id === null ? undefined : partition.replicas[id] };
  });

export const remembers: Asked = (frame) => replicas(frame).some(({ replica }) => some(replica?.producers));
/**
 * Whether a client's transaction manager has left the state UNINITIALIZED. True even before the first step if the
 * scenario's producer had already worked before the run.
 */
export const hasStates: Asked = (frame) =>
  Object.values(frame.view.clients ?? {}).some(({ transaction_manager: manager }) => (manager?.state ?? "UNINITIALIZED") !== "UNINITIALIZED");
export const hasCoordinators: Asked = (frame) => brokers(frame).some((broker) => some(broker.transactions));
export const hasInternalLogs: Asked = (frame) => replicas(frame).some(({ name, replica }) => INTERNAL.test(name) && some(replica?.batches));
export const hasMarkerBoard: Asked = (frame) => brokers(frame).some((broker) => hasMarkers(broker.markers));
export const hasGroups: Asked = (frame) =>
  brokers(frame).some((broker) => Object.values(broker.groups ?? {}).some((group) => some(group.committed) || some(group.committing) || some(group.pending)));
export const hasAborted: Asked = (frame) => replicas(frame).some(({ replica }) => (replica?.aborted_index ?? []).length > 0);
export const hasVotes: Asked = (frame) => some(frame.view.middleware?.transactions);
export const hasRoles: Asked = (frame) => some(frame.view.middleware?.business?.transactions) || hasVotes(frame);
export const hasCompensation: Asked = (frame) =>
  Object.values(frame.view.middleware?.participants ?? {}).some((participant) => (participant.log ?? []).length > 0);

/**
 * Whether the step writes to an internal log. Followers copy all the time, so only the leader's log and the progress of
 * replication count.
 */
export const writesInternalLog: Asked = (frame) =>
  frame.step?.changes.some(({ path: [root, name = "", , replica, part = ""] }) => {
    if (root !== "partitions" || !INTERNAL.test(name) || !["batches", "high_watermark"].includes(part)) return false;
    const leader = frame.view.partitions?.[name]?.leader;
    return leader != null && String(leader) === replica;
  }) === true;

// The following functions say what a run will have, according to its plan. Without a plan, a panel has a place only
// from its first content on.

export const mayTransact: Asked = ({ plan }) => plan?.brokers.some(({ transactional_ids: ids }) => ids.length > 0) === true;
export const mayCommitOffsets: Asked = ({ plan }) => plan?.brokers.some(({ groups }) => groups.length > 0) === true;
/** Whether the run has a database; the first view shows it, so this is known before the first step. */
export const hasDatabase: Asked = ({ view }) => view.database !== undefined;
export const hasMiddleware: Asked = ({ plan }) => plan != null && plan.middleware !== null;

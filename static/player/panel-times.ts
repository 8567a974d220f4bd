/** Questions to a frame: whether the run has content for a panel, and whether a step is about it. Pure. */

import { INTERNAL, hasMarkers } from "../diagrams/internal-partitions.ts";
import { shownReplica } from "../diagrams/shown-replica.ts";
import { isLogCase } from "../diagrams/log-case.ts";
import type { Frame, ReplicaView } from "./frame.ts";
import { keeperOf } from "./terms.ts";

type Asked = (frame: Frame) => boolean;

const some = (table: object | undefined): boolean => Object.keys(table ?? {}).length > 0;
const brokers = (frame: Frame) => Object.values(frame.view.brokers ?? {});

/** Whether Kafka runs: not in runs of the message middleware alone; a run that compares the two has both. */
export const kafka: Asked = (frame) => !some(frame.view.middleware?.participants) || some(frame.view.brokers);
/** Whether a cluster or a middleware is running: not in a log case, whose files show only what was written. */
export const works: Asked = (frame) => !isLogCase(frame);
export const clients: Asked = (frame) => kafka(frame) && works(frame);
/**
 * Whether a step has happened: before the first one, most panels are empty, and a reader sees only those with content.
 */
export const begun: Asked = (frame) => frame.step !== null;
export const worksNow: Asked = (frame) => begun(frame) && works(frame);
export const clientsNow: Asked = (frame) => begun(frame) && clients(frame);
/** Whether the controllers of this cluster have a log of their own, without ZooKeeper. */
export const hasQuorum: Asked = (frame) => keeperOf(frame.view) === "quorum";
/** Whether an operator has run the tool. */
export const hasTool: Asked = (frame) => frame.view.tool !== undefined;
export const decided: Asked = (frame) => frame.step?.decision != null;
export const refused: Asked = (frame) => frame.step?.refusal != null;
export const decides: Asked = (frame) => clientsNow(frame) || decided(frame) || refused(frame);
export const sends: Asked = (frame) => some(frame.view.clients);
export const reads: Asked = (frame) => frame.header.actors.some((actor) => actor.role === "consumer");
/** Whether a cluster is running; log files hold no state before and after a step. */
export const runs: Asked = (frame) => some(frame.view.brokers);
export const isFromFiles: Asked = (frame) => isLogCase(frame);
export const hasLog: Asked = ({ header }) => header.partitions.length > 0;

/** The replicas that panels draw, by partition. */
const replicas = (frame: Frame): { name: string; replica: ReplicaView | undefined }[] =>
  Object.entries(frame.view.partitions ?? {}).map(([name, partition]) => {
    const id = shownReplica(partition);
    return { name, replica: id === null ? undefined : partition.replicas[id] };
  });

export const remembers: Asked = (frame) => replicas(frame).some(({ replica }) => some(replica?.producers));
/**
 * Whether a client has left the state UNINITIALIZED; at step 0, this is so if the scenario's producer had worked
 * before.
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

// Whether the run will have transactions, according to the plan. Without a plan, panels have a place only from their
// first content on.

export const mayTransact: Asked = ({ plan }) => plan?.brokers.some(({ transactional_ids: ids }) => ids.length > 0) === true;
export const mayCommitOffsets: Asked = ({ plan }) => plan?.brokers.some(({ groups }) => groups.length > 0) === true;
/** Whether the run has a database; the first view shows it, so this is known before the first step. */
export const hasDatabase: Asked = ({ view }) => view.database !== undefined;
export const hasMiddleware: Asked = ({ plan }) => plan != null && plan.middleware !== null;

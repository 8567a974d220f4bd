/**
 * The types of a view as panels get it: the server leaves out empty tables, and `whole.ts` puts them back. The shapes
 * themselves are the server's (static/generated/messages.ts).
 */

import type * as messages from "../generated/messages.ts";

/** `Shape`, but with the optional fields `Tables` required, and the fields of `Parts` in place of its own. */
type Whole<Shape, Tables extends keyof Shape, Parts = unknown> = Omit<Shape, Tables | keyof Parts> & Required<Pick<Shape, Tables>> & Parts;

export type TransactionManagerView = Whole<messages.TransactionManagerView, "partitions">;

export type ClientView = Whole<
  messages.ClientView,
  "queues" | "batches" | "connections" | "requests",
  { transaction_manager: TransactionManagerView | null }
>;

export type ReplicaView = Whole<messages.ReplicaView, "batches" | "producers">;

export type PartitionView = Whole<messages.PartitionView, never, { replicas: Record<string, ReplicaView> }>;

/** The fields of a broker's view that it has as a coordinator. */
export type CoordinationView = Pick<messages.BrokerView, "coordinator" | "lookups" | "transactions" | "markers" | "groups">;

/** The view that the diagrams draw: the state after a step, as far as a page gets it. */
export type View = Whole<
  messages.NearView,
  never,
  {
    clients?: Record<string, ClientView>;
    partitions?: Record<string, PartitionView>;
    network?: Required<messages.NetworkView>;
    zookeeper?: Required<messages.ZooKeeperView>;
    quorum?: messages.QuorumView;
  }
>;

/** `Shape` without null in its fields: in the page, an absent field is missing and never null. */
export type WithoutNull<Shape> = { [Name in keyof Shape]: Exclude<Shape[Name], null> };

/**
 * The thing that the reader picked. One thing is drawn in many pictures (a batch in the accumulator, in flight, in the
 * log); `partition` and `serials` let every panel find its own drawing of it.
 *
 * `id`: message "18"; batch "p1/b1" in a client, "t-0/40" (partition/base offset) in a log; partition "t-0"; actor
 * "broker-1"; transaction "txn-1" (transactional id); record "7" (its serial); timer "p1/backoff b1" (client/name in
 * the view).
 */
export type Selection = WithoutNull<messages.Selection>;

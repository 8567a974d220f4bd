/**
 * Views leave empty objects out (docs/frame.md), and a log case leaves out everything but its partitions. Panels
 * get a view in which every table is there, so that none of them has to ask twice.
 *
 * Completed parts are remembered by the part they came from: the same part gives the same object again.
 */

import type { ClientView, ConsumerView, Frame, PartitionView, ReplicaView, View } from "../player/frame.ts";

const remembered = new WeakMap<object, object>();

function once<Part extends object>(part: Part, make: (part: Part) => Part): Part {
  let made = remembered.get(part) as Part | undefined;
  if (made === undefined) {
    made = make(part);
    remembered.set(part, made);
    remembered.set(made, made);
  }
  return made;
}

function each<Part extends object>(table: Record<string, Part> | undefined, make: (part: Part) => Part): Record<string, Part> {
  if (table === undefined) return {};
  return once(table, (parts) => Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, once(part, make)])));
}

function completeClient(client: ClientView): ClientView {
  return {
    ...client,
    configuration: client.configuration ?? {},
    metadata: { ...client.metadata, leaders: client.metadata?.leaders ?? {} },
    queues: client.queues ?? {},
    batches: client.batches ?? {},
    ready: {
      nodes: client.ready?.nodes ?? {},
      unknown_leader_topics: client.ready?.unknown_leader_topics ?? [],
      next_check_delay: client.ready?.next_check_delay ?? null,
    },
    connections: client.connections ?? {},
    requests: client.requests ?? {},
    transaction_manager: completeManager(client.transaction_manager),
    timers: client.timers ?? {},
  };
}

function completeManager(manager: ClientView["transaction_manager"] | undefined): ClientView["transaction_manager"] {
  if (manager === null || manager === undefined) return null;
  // A manager that is gone may leave its empty tables behind; one without a state is no manager.
  if (manager.state === undefined) return null;
  return { ...manager, partitions: manager.partitions ?? {}, requests: manager.requests ?? [] };
}

function completeConsumer(consumer: ConsumerView): ConsumerView {
  return { ...consumer, positions: consumer.positions ?? {}, delivered: consumer.delivered ?? {} };
}

function completeReplica(replica: ReplicaView): ReplicaView {
  return { ...replica, batches: replica.batches ?? {}, producers: replica.producers ?? {}, waiting: replica.waiting ?? [] };
}

function completePartition(partition: PartitionView): PartitionView {
  return { ...partition, isr: partition.isr ?? [], replicas: each(partition.replicas, completeReplica) };
}

/** A log case: real files, no producers, brokers or network. */
export function isLogCase(view: View): boolean {
  return view.clients === undefined && view.brokers === undefined;
}

export function completeView(view: View): View {
  return once(view, (whole) => {
    const partitions = each(whole.partitions, completePartition);
    if (isLogCase(whole)) return { ...whole, partitions };
    return {
      ...whole,
      partitions,
      applications: whole.applications ?? {},
      records: whole.records ?? {},
      clients: each(whole.clients, completeClient),
      consumers: each(whole.consumers, completeConsumer),
      brokers: whole.brokers ?? {},
      zookeeper: { nodes: whole.zookeeper?.nodes ?? {}, sessions: whole.zookeeper?.sessions ?? {} },
      network: { messages: whole.network?.messages ?? {} },
      pending: whole.pending ?? {},
    };
  });
}

/** The frame with both views complete; the same frame gives the same object again. */
export function completeFrame(frame: Frame): Frame {
  return once(frame, (given) => ({
    ...given,
    view: completeView(given.view),
    previousView: given.previousView === null ? null : completeView(given.previousView),
  }));
}

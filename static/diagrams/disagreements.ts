/**
 * Where a client and the leader it writes to know different things about one numbering, while nothing is in flight
 * that would explain it. Pure: it puts two numbers of the view beside each other and says whether they are the same.
 */

import type { Frame } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { isAbsent } from "./batch.ts";

export interface Disagreement {
  client: string;
  partition: string;
  /** The producer id whose numbering it is. */
  producerId: string;
  /** As the client's panel says it, and as the leader's does. */
  text: string;
}

/** Of all clients, in the order of their names. */
export function disagreements(frame: Frame): Disagreement[] {
  return Object.keys(frame.view.clients ?? {}).sort().flatMap((client) => disagreementsOf(frame, client));
}

/** Of one client, in the order of its partitions' names. */
export function disagreementsOf(frame: Frame, client: string): Disagreement[] {
  const partitions = frame.view.clients?.[client]?.transaction_manager?.partitions ?? {};
  return Object.keys(partitions).sort().map((partition) => disagreement(frame, client, partition)).filter((one) => one !== null);
}

/** Null where both know the same, where something is in flight or undecided, and where one of them is down. */
export function disagreement(frame: Frame, client: string, partition: string): Disagreement | null {
  const manager = frame.view.clients?.[client]?.transaction_manager;
  const own = manager?.partitions?.[partition];
  const view = frame.view.partitions?.[partition];
  const replica = view?.leader == null ? undefined : view.replicas[String(view.leader)];
  if (manager == null || own === undefined || replica === undefined || isAbsent(manager.producer_id)) return null;
  const isSettled = own.in_flight.length === 0 && (own.unresolved === null || own.unresolved === false);
  if (!isSettled || frame.view.clients?.[client]?.alive === false) return null;
  const producerId = String(manager.producer_id);
  const text = differenceText(client, `broker-${view?.leader}`, manager.producer_epoch, own.last_acked_sequence, replica.producers[producerId]);
  return text === null ? null : { client, partition, producerId, text };
}

type Known = { producer_epoch: number; batches: readonly (readonly number[])[] };

function differenceText(client: string, broker: string, epoch: number | null, acked: number | null, known: Known | undefined): string | null {
  if (known === undefined) return acked === null ? null : say("diagram.disagree.unknown", { client, broker, acked });
  if (known.producer_epoch !== epoch) return say("diagram.disagree.epoch", { client, broker, own: epoch, known: known.producer_epoch });
  const last = known.batches[known.batches.length - 1]?.[1] ?? null;
  return last === acked ? null : say("diagram.disagree.sequence", { client, broker, acked, last });
}

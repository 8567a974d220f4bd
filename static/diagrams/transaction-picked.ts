/**
 * Finds everything that belongs to the selected transaction, so that pictures can highlight it: the coordinator's
 * entry, its images in the log, markers, the batches in every log and on every wire, pending offsets, aborted
 * transactions. A thing belongs to it by the transactional id, or by a producer id that this has had.
 */

import type { Frame, JsonObject, MessageView, Selection, View } from "../player/frame.ts";
import type { Id } from "./batch.ts";
import { isAbsent } from "./batch.ts";
import { carriedBatches } from "./picked.ts";

/** The transaction to which a thing belongs, as a picture knows it: by the transactional id or by a producer id. */
export interface Belongs {
  transaction?: string | null;
  producer?: Id;
}

export function transactionSelection(id: string): Selection {
  return { kind: "transaction", id };
}

/** Whether a thing belongs to the selected transaction. */
export function isOfPicked(frame: Frame, thing: Belongs): boolean {
  const { selection } = frame;
  if (selection?.kind !== "transaction") return false;
  if (thing.transaction != null) return thing.transaction === selection.id;
  return !isAbsent(thing.producer) && transactionOf(frame.view, thing.producer) === selection.id;
}

const owners = new WeakMap<View, Map<string, string>>();

/** The transactional id to which a producer id belongs; null if neither a coordinator nor a client says so. */
export function transactionOf(view: View, producer: Id): string | null {
  let known = owners.get(view);
  if (known === undefined) {
    known = new Map();
    const add = (id: Id, owner: string): void => void (isAbsent(id) || known?.set(String(id), owner));
    for (const { transaction_manager: manager } of Object.values(view.clients ?? {})) {
      if (manager?.transactional_id != null) add(manager.producer_id, manager.transactional_id);
    }
    for (const broker of Object.values(view.brokers ?? {})) {
      for (const [owner, entry] of Object.entries(broker.transactions ?? {})) {
        add(entry.producer_id, owner);
        add(entry.last_producer_id, owner);
      }
    }
    owners.set(view, known);
  }
  return isAbsent(producer) ? null : (known.get(String(producer)) ?? null);
}

/**
 * Whether a message belongs to the selected transaction: it names the transaction, or carries batches or markers of its
 * producer id. Responses name neither.
 */
export function isMessageOfPicked(frame: Frame, message: MessageView): boolean {
  if (frame.selection?.kind !== "transaction") return false;
  const { fields } = message;
  const named = fields["transactional_id"];
  if (typeof named === "string") return isOfPicked(frame, { transaction: named });
  if (fields["key_type"] === "TRANSACTION") return isOfPicked(frame, { transaction: String(fields["key"]) });
  const entries = Array.isArray(fields["entries"]) ? (fields["entries"] as JsonObject[]) : [];
  const producers = [...Object.values(carriedBatches(message)), ...entries].map((carrier) => carrier["producer_id"] as Id);
  return producers.some((producer) => isOfPicked(frame, { producer }));
}

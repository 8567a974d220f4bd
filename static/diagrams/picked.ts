/**
 * Finds the drawings of the selected thing, which every picture highlights. One thing is drawn in many pictures: the
 * records of a batch are in the accumulator, in a request, on an arrow and in the log. Drawings with the same partition
 * and a common serial belong together.
 */

import type { JsonObject, MessageView, Selection, View } from "../player/frame.ts";

/** Whether `thing` is a drawing of the selected thing. */
export function isPicked(selection: Selection | null, thing: Selection): boolean {
  if (selection === null) return false;
  if (selection.kind === thing.kind && selection.id === thing.id) return true;
  const wanted = serialsOf(selection);
  if (wanted.length === 0 || thing.serials === undefined) return false;
  if (selection.partition !== undefined && thing.partition !== selection.partition) return false;
  return thing.serials.some((serial) => wanted.includes(serial));
}

function serialsOf(selection: Selection): readonly number[] {
  if (selection.serials !== undefined) return selection.serials;
  return selection.kind === "record" ? [Number(selection.id)] : [];
}

/** A selection without partition and serials, for example of an actor. */
export function plainly(kind: Selection["kind"], id: string): Selection {
  return { kind, id };
}

/**
 * The selection of a message, with the records that it carries or responds about, as far as the view still knows them.
 */
export function messageSelection(view: View, message: MessageView): Selection {
  const selection: Selection = { kind: "message", id: String(message.id) };
  const partition = message.partitions[0];
  if (partition === undefined) return selection;
  selection.partition = partition;
  const serials = message.api === "Produce" ? produceSerials(view, message, partition) : [];
  if (serials.length > 0) selection.serials = serials;
  return selection;
}

/** Partition → batch inside a Produce request, with the field names of MSG-2. */
export function carriedBatches(message: MessageView): Record<string, JsonObject> {
  const batches = message.fields["batches"];
  if (typeof batches !== "object" || batches === null || Array.isArray(batches)) return {};
  return batches as Record<string, JsonObject>;
}

/**
 * The serials of a partition's records in a Produce request, or of those that its response is about. Kafka's messages
 * have no serials, so the request is looked up at the client by its correlation id. If the client no longer holds the
 * request, the batch is looked up in the log by PID, epoch and sequence number.
 */
function produceSerials(view: View, message: MessageView, partition: string): number[] {
  const client = view.clients?.[message.is_response ? message.to : message.from];
  const request = client?.requests[String(message.correlation_id)];
  for (const id of request?.batches ?? []) {
    const batch = client?.batches[id];
    if (batch?.partition === partition) return batch.serials;
  }
  const carried = carriedBatches(message)[partition];
  if (carried === undefined) return [];
  for (const batch of Object.values(client?.batches ?? {})) {
    if (
      batch.partition === partition &&
      batch.producer_id === carried["producer_id"] &&
      batch.producer_epoch === carried["producer_epoch"] &&
      batch.first_sequence === carried["base_sequence"]
    ) {
      return batch.serials;
    }
  }
  return [];
}

/** The name of a message in sentences, lists and buttons, which distinguishes it from others of its type. Pure. */

import type { JsonObject, MessageView } from "./frame.ts";
import { say } from "./text.ts";

type Named = Pick<MessageView, "api" | "is_response" | "from" | "to"> & Partial<Pick<MessageView, "fields" | "partitions">>;

/** The name of a message: `Produce response (t-0, offset 4), broker-1 to p1`. */
export function messageName(message: Named): string {
  const { api, from, to, is_response: isAnswer } = message;
  return say(`player.selection.${isAnswer ? "response" : "request"}`, { api, from, to, carried: carriedBy(message) });
}

/** The name of a message where there is little room: without its ends, or with its receiver if it carries nothing. */
export function shortName(message: Named): string {
  const { api, to, is_response: isAnswer } = message;
  return say(`stage.act.of.${isAnswer ? "response" : "request"}`, { api, carried: carriedBy(message) || ` → ${to}` });
}

/**
 * A text that distinguishes a message from others of its type: for a request with batches, the first one, as " (t-0,
 * seq 3–5)"; for a response to it, partition and offset of the stored batch; else the partition; "" without one.
 */
export function carriedBy({ fields = {}, is_response: isAnswer = false, partitions = [] }: Partial<Pick<MessageView, "fields" | "is_response" | "partitions">> = {}): string {
  const [first, ...more] = Object.entries((fields[isAnswer ? "partitions" : "batches"] ?? {}) as Record<string, JsonObject>);
  const offset = first?.[1]["base_offset"];
  if (isAnswer && typeof offset === "number" && offset >= 0) return say("done.carries_offset", { partition: first?.[0] ?? "", offset });
  if (first === undefined || isAnswer) return partitions.length === 0 ? "" : say("done.carries_partition", { partition: partitions[0] + (partitions.length > 1 ? ` +${partitions.length - 1}` : "") });
  const [partition, batch] = first;
  const params = { partition, first: batch["base_sequence"] ?? -1, last: batch["last_sequence"] ?? -1, more: more.length };
  return say(Number(params.first) < 0 ? "done.carries_partition" : more.length > 0 ? "done.carries_more" : "done.carries", params);
}

/** The short text at an arrow: a request's API, partition and batch; a response's API, error and offset. */

import type { Arrow, Json, JsonObject, MessageView, Plan } from "../player/frame.ts";
import { facts, listed, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import type { Id } from "./batch.ts";
import { batchLabel, hueOf, isAbsent } from "./batch.ts";
import { carriedBatches } from "./picked.ts";

function objectAt(fields: JsonObject, name: string): JsonObject {
  const value = fields[name];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** Partition and label of every batch that a Produce request carries, in the order of the request. */
export function carriedLabels(message: MessageView): { partition: string; label: string; producerId: Id }[] {
  return Object.entries(carriedBatches(message)).map(([partition, batch]) => ({
    partition,
    producerId: batch["producer_id"] as Id,
    label: batchLabel({
      producer_id: batch["producer_id"] as Id, producer_epoch: batch["producer_epoch"] as Id,
      first_sequence: batch["base_sequence"] as Id, last_sequence: batch["last_sequence"] as Id,
      serials: [], record_count: Number(batch["record_count"] ?? 0),
    }),
  }));
}

/**
 * A key of the first batch in a request, which a resend has, too. Null if that has no producer id, or in a response.
 */
export function batchKey(message: MessageView): string | null {
  if (message.is_response) return null;
  const [first] = Object.entries(carriedBatches(message));
  if (first === undefined || isAbsent(first[1]["producer_id"] as Id)) return null;
  const [partition, batch] = first;
  return [message.from, partition, batch["producer_id"], batch["producer_epoch"], batch["base_sequence"]].join(" ");
}

export function messageHue(message: MessageView, plan: Pick<Plan, "hues"> | null = null): string | null {
  const first = carriedLabels(message)[0];
  return first === undefined ? null : hueOf(first.producerId, plan);
}

export function messageLabel(message: MessageView, again = false): string {
  const carried = carriedLabels(message);
  const [first] = carried;
  if (first !== undefined) {
    const more = carried.length > 1 ? ` ${say("diagram.message.more_batches", { count: carried.length - 1 })}` : "";
    const key = again ? "diagram.message.produce_again" : "diagram.message.produce";
    return say(key, { partition: first.partition, batch: first.label }) + more;
  }
  if (message.is_response) return responseLabel(message);
  const partition = message.partitions[0];
  const offset = message.fields["fetch_offset"];
  if (partition !== undefined && typeof offset === "number") {
    return say("diagram.message.fetch", { api: message.api, partition, offset });
  }
  if (message.api === "Fetch" && message.partitions.length > 1) return `${message.api} ${listed(message.partitions)}`;
  const version = message.fields["expected_version"];
  if (typeof version === "number") return say("diagram.message.zookeeper_write", { api: message.api, version });
  return partition === undefined ? message.api : `${message.api} ${partition}`;
}

function responseLabel(message: MessageView): string {
  const fields = message.fields;
  const answers = Object.entries(objectAt(fields, "partitions"));
  const [first] = answers;
  const answer = first?.[1];
  if (first !== undefined && typeof answer === "object" && answer !== null && !Array.isArray(answer) && "base_offset" in answer) {
    const error = String(answer["error"] ?? "NONE");
    const offset = answer["base_offset"] as Json;
    const more = answers.length > 1 ? ` ${say("diagram.message.more_answers", { count: answers.length - 1 })}` : "";
    const text = error === "NONE" && typeof offset === "number" && offset >= 0
      ? say("diagram.message.base_offset", { api: message.api, partition: first[0], base_offset: offset })
      : error === "NONE" ? say("diagram.message.response", { api: message.api }) : error;
    return text + more;
  }
  if (message.api === "InitProducerId" && message.error === "NONE") {
    return say("diagram.message.producer_id", {
      producer_id: fields["producer_id"] ?? "?", producer_epoch: fields["producer_epoch"] ?? "?",
    });
  }
  if (message.api === "ZooKeeperReply") return zooKeeperReply(fields);
  const name = say("diagram.message.response", { api: message.api });
  if (message.error !== null && message.error !== "NONE") return named(name, message.error);
  const batches = fields["batches"];
  if (Array.isArray(batches)) return say("diagram.message.fetched", { count: batches.length, high_watermark: fields["high_watermark"] ?? 0 });
  return name;
}

function zooKeeperReply(fields: JsonObject): string {
  if (fields["conflict"] === true) return say("diagram.message.zookeeper_conflict", { version: fields["version"] ?? "?" });
  const key = fields["written"] === true ? "diagram.message.zookeeper_written" : "diagram.message.zookeeper_read";
  return say(key, { version: fields["version"] ?? "?" });
}

/** The fate of a message in words. `message`: its state at the step on show; `arrow.message` is as it was sent. */
export function fateText(arrow: Arrow, underWay: boolean, message: MessageView = arrow.message): string {
  const parts: string[] = [];
  if (underWay) {
    parts.push(
      message.waits_behind !== undefined
        ? say("diagram.fate.waits")
        : message.held
          ? say("diagram.fate.held")
          : message.arrives_at === null
            ? say("diagram.fate.under_way")
            : say("diagram.fate.due", { at: message.arrives_at }),
    );
  } else {
    parts.push(say(`diagram.fate.${arrow.fate}`, { at: arrow.settledAt ?? 0 }));
  }
  if (arrow.delayed) parts.push(say("diagram.fate.delayed"));
  if (arrow.duplicated) parts.push(say("diagram.fate.duplicated"));
  return facts(parts);
}

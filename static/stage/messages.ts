/** Puts the name and content of a message in words, from the fields that the engine reports. Pure. */

import type { Id } from "../diagrams/batch.ts";
import { identity, isAbsent, range, serialsText } from "../diagrams/batch.ts";
import { carriedBatches } from "../diagrams/picked.ts";
import type { Json, JsonObject, MessageView, View } from "../player/frame.ts";
import { clauses, facts, listed, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { textWidth } from "./draw.ts";
import { isFenced } from "../diagrams/instance.ts";

export interface CarriedCell {
  partition: string;
  /** Producer id and epoch: `0·0`; null for a batch without them. */
  who: string | null;
  producerId: Id;
  /** Whether the batch has a fenced epoch. */
  isFenced: boolean;
  /** The sequence numbers; for a batch without them, the names of the records or how many there are. */
  label: string;
  /** The names of the records (`r1–r3`) beside sequence numbers; "" if they are unknown or too many. */
  records: string;
}

export interface CarriedFlag {
  letter: string;
  producerId: Id;
  partitions: string[];
}

export interface Sheet {
  name: string;
  /** The batches of a Produce request; empty for any other message. */
  cells: CarriedCell[];
  /** The markers of a WriteTxnMarkers request; empty for any other message. */
  flags: CarriedFlag[];
  /** The rest of the content in words; "" if the name says everything. */
  words: string;
  /** Whether the message returns an error. */
  bad: boolean;
  isAnswer: boolean;
  /**
   * The content for little room: the partition or other subject; for a response, its words, if they are not longer than
   * its name.
   */
  brief: string;
}

type Fields = JsonObject;

const object = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** The first text, and how many more there are. */
function firstOf(texts: readonly string[]): string {
  const [first = "", ...more] = texts;
  return more.length === 0 ? first : say("stage.message.more", { text: first, count: more.length });
}

/** The partitions, each once; if there are more than two, the first and how many more. */
function eachOnce(partitions: readonly string[]): string[] {
  const [first = "", ...more] = [...new Set(partitions)];
  return more.length > 1 ? [`${first} +${more.length}`] : [first, ...more];
}

const offsets = (fields: Fields): string =>
  firstOf(Object.entries(object(fields["offsets"])).map(([partition, committed]) =>
    say("stage.message.offset", { partition, offset: object(committed)["offset"] ?? committed })));

/** API → a function that gives the words of a request beside its name. */
const REQUESTS: Record<string, (fields: Fields, message: MessageView) => string> = {
  FindCoordinator: (fields) => say("stage.message.of_key", { key: fields["key"] ?? "" }),
  InitProducerId: (fields) => fields["transactional_id"] == null
    ? say("stage.message.new_id")
    : say("stage.message.for_id", { transactional_id: fields["transactional_id"] }),
  AddPartitionsToTxn: (fields) => listed(list(fields["partitions"]).map(String)),
  AddOffsetsToTxn: (fields) => say("stage.message.group", { group_id: fields["group_id"] ?? "" }),
  TxnOffsetCommit: offsets,
  OffsetCommit: offsets,
  OffsetFetch: (fields) => say("stage.message.group", { group_id: fields["group_id"] ?? "" }),
  LeaveGroup: (fields) => say("stage.message.group", { group_id: fields["group_id"] ?? "" }),
  EndTxn: (fields) => say(fields["committed"] === true ? "stage.message.commit" : "stage.message.abort"),
  Metadata: (fields) => {
    const topics = list(fields["topics"]);
    return topics.length === 0 ? say("stage.message.which_brokers") : say("stage.message.who_leads", { topics });
  },
  Fetch: (fields) => "offsets" in fields ? offsets(fields) : say("stage.message.fetch", { offset: fields["fetch_offset"] ?? 0 }),
  ListOffsets: (fields) => listed(list(fields["partitions"]).map(String)),
  ReplicaFetch: (fields) => say("stage.message.fetch", { offset: fields["fetch_offset"] ?? 0 }),
  ZooKeeperWrite: (fields) => fields["expected_version"] == null ? "" : say("stage.message.version", { version: fields["expected_version"] }),
  WriteTxnMarkers: () => "",
  Produce: () => "",
};

const ANSWERS: Record<string, (fields: Fields, message: MessageView) => string> = {
  Produce: (fields) => firstOf(Object.entries(object(fields["partitions"])).map(([partition, answer]) =>
    say("stage.message.stored_at", { partition, offset: object(answer)["base_offset"] ?? "?" }))),
  InitProducerId: (fields) => say("stage.message.identity", {
    producer_id: fields["producer_id"] ?? "?", producer_epoch: fields["producer_epoch"] ?? "?",
  }),
  FindCoordinator: (fields) => say("stage.message.coordinates", { node: fields["node"] ?? "?" }),
  Fetch: (fields) => {
    const ofPartitions = "partitions" in fields ? Object.values(object(fields["partitions"])).map(object) : [fields];
    const count = ofPartitions.reduce((sum, one) => sum + list(one["batches"]).length, 0);
    return count === 0 ? say("stage.message.fetched_nothing") : say("stage.message.fetched", { count });
  },
  ListOffsets: (fields) => firstOf(Object.entries(object(fields["partitions"])).map(([partition, end]) =>
    say("stage.message.offset", { partition, offset: object(end)["offset"] ?? "?" }))),
  Metadata: (fields) => firstOf(Object.entries(object(fields["partitions"])).map(([partition, state]) => {
    const leader = object(state)["leader"];
    return leader == null ? say("stage.message.no_leader", { partition }) : say("stage.message.leads", { partition, leader });
  })),
  WriteTxnMarkers: (_, message) => say("stage.message.marker_written", { partitions: eachOnce(message.partitions) }),
  ZooKeeperReply: (fields) => say(fields["conflict"] === true ? "stage.message.conflict" : "stage.message.written", { version: fields["version"] ?? "?" }),
};

/**
 * The name and content of a message. `records`: partition → serials in the message, as far as the sender's view still
 * has them; `resend`: how often the sender had sent the same request before.
 */
export function sheetOf(message: MessageView, records: Readonly<Record<string, readonly number[]>> = {}, view: View | null = null, resend = 0): Sheet {
  const error = message.error !== null && message.error !== "NONE" ? message.error : null;
  const cells = message.is_response ? [] : cellsOf(message, records, view);
  const flags = message.is_response || message.api !== "WriteTxnMarkers" ? [] : flagsOf(message);
  const words = error ?? wordsOf(message);
  return {
    name: resend > 0 ? say("stage.message.resend", { name: message.api, resend }) : message.api, cells, flags, words, bad: error !== null || message.fields["conflict"] === true,
    isAnswer: message.is_response, brief: briefOf(message, words, cells),
  };
}

/** Words that distinguish a message from others of its name: the numbers of its batch, its offset, or its partition. */
function briefOf(message: MessageView, words: string, [cell]: readonly CarriedCell[]): string {
  const [partition] = message.partitions;
  if (partition === undefined || (message.is_response && isNoWider(words, message.api))) return words;
  if (cell !== undefined) return `${partition} ${cell.label}`;
  const offset = object(object(message.fields["partitions"])[partition])["base_offset"];
  return message.is_response && typeof offset === "number" && offset >= 0 ? say("stage.message.offset", { partition, offset }) : partition;
}

/** Whether words below a message's name need no more room than the name. */
const isNoWider = (words: string, name: string): boolean => textWidth(words, 12) <= textWidth(name, 12, true) + 4;

function wordsOf(message: MessageView): string {
  const describe = (message.is_response ? ANSWERS : REQUESTS)[message.api];
  if (describe !== undefined) return describe(message.fields, message);
  // The name of a middleware's message says its content, so the subject is the number of its transaction.
  if (message.fields["tid"] !== undefined) return say("stage.message.transaction", { tid: message.fields["tid"] });
  if (message.is_response && message.error !== null) return say("stage.message.answered");
  return firstOf(message.partitions);
}

/** The most characters for the names of records; longer ones are replaced by the number of records. */
const NAMED = 12;

function cellsOf(message: MessageView, records: Readonly<Record<string, readonly number[]>>, view: View | null): CarriedCell[] {
  return Object.entries(carriedBatches(message)).map(([partition, batch]) => {
    const producerId = batch["producer_id"] as Id;
    const first = batch["base_sequence"] as Id;
    const count = Number(batch["record_count"] ?? 0);
    const serials = serialsText(records[partition] ?? []);
    const own = serials.length <= NAMED ? serials : "";
    return {
      partition, producerId, isFenced: view !== null && isFenced(view, producerId, batch["producer_epoch"] as Id), who: identity(producerId, batch["producer_epoch"] as Id),
      label: isAbsent(first) ? own || say("diagram.batch.records", { count }) : `${say("stage.seq")} ${range(first, batch["last_sequence"] as Id)}`,
      records: isAbsent(first) ? "" : own,
    };
  });
}

function flagsOf(message: MessageView): CarriedFlag[] {
  return list(message.fields["entries"]).map(object).map((entry) => ({
    letter: String(entry["result"] ?? "?").slice(0, 1), producerId: entry["producer_id"] as Id, partitions: list(entry["partitions"]).map(String),
  }));
}

/** Everything that a sheet carries, in one line. */
export function carriedWords(sheet: Sheet): string {
  const cells = sheet.cells.map(({ partition, who, label, records }) => facts([partition, records, who === null ? label : `${who} ${label}`].filter((words) => words !== "")));
  const flags = sheet.flags.map(({ letter, partitions }) => named(letter, listed(partitions)));
  return clauses([...cells, ...flags, sheet.words].filter((words) => words !== ""));
}

/**
 * Hand-made frames for the diagrams' tests: the retry of an idempotent producer meets the five cached batches, as
 * in SC-03, and variations of it. Also the real catalogue, and a template turned into text.
 */

import { readFileSync } from "node:fs";
import { nothing } from "lit";
import { guard } from "lit/directives/guard.js";
import type {
  Change, ClientBatchView, ClientView, Frame, Header, Json, LogBatchView, MessageView, PartitionView, ReplicaView, Step,
  View,
} from "../../player/frame.ts";
import type { Derived } from "../../generated/messages.ts";
import { pathKey } from "../../player/frame.ts";
import type { Texts } from "../../player/text.ts";
import { words } from "../../player/text.ts";

/** The texts in both languages, from the catalogues that the pages use. Reads the part of TOML that these use. */
export function readTexts(path: string): { en: Texts; "zh-Hans": Texts } {
  const texts: { en: Texts; "zh-Hans": Texts } = { en: {}, "zh-Hans": {} };
  let key = "";
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const head = /^\["(.+)"\]$/.exec(line);
    if (head?.[1] !== undefined) key = head[1];
    const said = /^(en|zh-Hans) = (".*")$/.exec(line);
    if (said !== null) texts[said[1] as "en" | "zh-Hans"][key] = JSON.parse(said[2] as string) as string;
  }
  return texts;
}

export const DIAGRAM_WORDS = "eosviz/catalogue/diagrams.toml";

const JOINS = "engine/explain/catalogue/joins.toml";

export function speakEnglish(): void {
  const [diagrams, joins] = [readTexts(DIAGRAM_WORDS), readTexts(JOINS)];
  words.learn("en", { texts: { ...joins.en, ...diagrams.en }, sources: {} });
  words.learn("zh-Hans", { texts: { ...joins["zh-Hans"], ...diagrams["zh-Hans"] }, sources: {} });
  words.use("en");
}

export const HEADER: Header = {
  scenario: "SC-03", variant: null, title: { en: "The acknowledgement is lost", "zh-Hans": "确认丢失" }, profile: "k28",
  version: "2.8", switches: {}, altered: {}, engine: "1",
  actors: [
    { name: "app-1", role: "application" }, { name: "p1", role: "client" }, { name: "broker-1", role: "broker" },
    { name: "broker-2", role: "broker" }, { name: "c1", role: "consumer" },
  ],
  partitions: ["t-0", "t-1"], step_limit: 20000,
};

let serial = 1;

export function logBatch(base: number, count: number, over: Partial<LogBatchView> = {}): LogBatchView {
  const first = over.first_sequence ?? base - 40;
  return {
    base_offset: base, last_offset: base + count - 1, record_count: count, producer_id: 0, producer_epoch: 0,
    first_sequence: first, last_sequence: first + count - 1, transactional: false, control: null, coordinator_epoch: -1,
    leader_epoch: 0, serials: Array.from({ length: count }, (_, index) => base - 39 + index), appended_at: base - 27,
    size: 100, ...over,
  };
}

export function replica(batches: LogBatchView[], over: Partial<ReplicaView> = {}): ReplicaView {
  const last = batches[batches.length - 1];
  const end = last === undefined ? 0 : last.last_offset + 1;
  const cached = batches.filter((batch) => batch.control === null).slice(-5);
  return {
    log_start: batches[0]?.base_offset ?? 0, log_end: end, high_watermark: end, last_stable_offset: end, segments: [0],
    waiting: [], batches: Object.fromEntries(batches.map((batch) => [String(batch.base_offset), batch])),
    producers: cached.length === 0
      ? {}
      : {
          0: {
            producer_epoch: 0, coordinator_epoch: -1, last_timestamp: 33, transaction_first_offset: null,
            batches: cached.map((batch) => [
              batch.first_sequence ?? -1, batch.last_sequence ?? -1, batch.base_offset, batch.last_offset, batch.appended_at,
            ]),
          },
        },
    ...over,
  };
}

export function partition(leader: ReplicaView, follower: ReplicaView = leader): PartitionView {
  return {
    leader: 1, leader_epoch: 0, isr: [1, 2], replica_order: [1, 2], min_isr: 1, deleted: false,
    replicas: { 1: leader, 2: follower },
  };
}

export const FIVE = [logBatch(40, 3), logBatch(43, 2), logBatch(45, 3), logBatch(48, 2), logBatch(50, 3)];

export function clientBatch(over: Partial<ClientBatchView> = {}): ClientBatchView {
  return {
    partition: "t-0", state: "IN_FLIGHT", serials: [1, 2, 3], record_count: 3, bytes: 4096, capacity: 16384, full: false,
    created_at: 3, last_append_at: 3, last_attempt_at: 78, drained_at: 138, attempts: 1, producer_id: 0, producer_epoch: 0,
    first_sequence: 0, last_sequence: 2, resequenced: false, error: null, ...over,
  };
}

export function client(over: Partial<ClientView> = {}): ClientView {
  return {
    alive: true, paused: false, incarnation: 1, closed: false, flush_in_progress: false,
    configuration: {
      acks: { value: -1, reason: "forced by enable_idempotence", rule: "CFG-2", default: 1 },
      batch_size: { value: 16384, reason: "default", rule: "CFG-1", default: 16384 },
      linger_ms: { value: 5, reason: "set", rule: "CFG-1", default: 0 },
    },
    metadata: { updated_at: 0, update_requested: false, leaders: { "t-0": 1, "t-1": 1 } },
    queues: { "t-0": { batches: ["b7"], muted: false }, "t-1": { batches: [], muted: true } },
    batches: {
      b1: clientBatch(),
      b7: clientBatch({
        state: "FILLING", serials: [20, 21], record_count: 2, bytes: 8192, attempts: 0, producer_id: null, producer_epoch: null,
        first_sequence: null, last_sequence: null, drained_at: null,
      }),
    },
    pool: { total: 33554432, free: 33505280, waiters: [] },
    ready: { nodes: {}, unknown_leader_topics: [], next_check_delay: 3 },
    sender: { pass: 9, phase: "P9", drain_index: 1, poll_timeout: 3, poll_source: "linger", waiting_for: null },
    connections: { 1: { state: "connected", in_flight: [7], limit: 5 } },
    requests: { 7: { api: "Produce", to: "broker-1", batches: ["b1"], sent_at: 138, deadline: 208 } },
    transaction_manager: {
      state: "READY", last_edge: ["INITIALIZING", "READY", "init_producer_id_none"], last_error: null, transactional_id: null,
      producer_id: 0, producer_epoch: 0, bump_required: false,
      partitions: { "t-0": { next_sequence: 13, last_acked_sequence: 12, last_acked_offset: 52, in_flight: ["b1"], unresolved: null } },
      requests: [], in_flight_request: null, transaction: null,
    },
    timers: {
      "request 7": { kind: "request_timeout", subject: "request 7", since: 138, until: 208 },
      "linger b7": { kind: "linger", subject: "b7", since: 141, until: 146 },
    },
    ...over,
  };
}

/** The engine's derived facts about a view; none by default. */
export function derived(over: Partial<Derived> = {}): Derived {
  return { pending: [], timers: {}, disagreements: {}, broken: {}, ...over };
}

export function view(over: Partial<View> = {}): View {
  return {
    time: 143,
    applications: { "app-1": { client: "p1", next_call: 5, calls: 6, next_at: 160, blocked_by: null, finished: false, last_result: "ok" } },
    records: Object.fromEntries(Array.from({ length: 13 }, (_, index) => [
      String(index + 1),
      {
        partition: "t-0", producer: "p1", size: 100, sent_at: 3, status: index < 3 ? "pending" : "ok",
        offset: index < 3 ? null : 40 + index, error: null, finished_at: index < 3 ? null : 60,
      },
    ])),
    clients: { p1: client() },
    consumers: {
      c1: {
        isolation: "read_committed", alive: true, paused: false, positions: { "t-0": 53, "t-1": 12 },
        delivered: { "t-0": Array.from({ length: 13 }, (_, index) => index + 1) }, delivered_count: 13, applied_count: 13,
        skipped_duplicates: 0,
      },
    },
    brokers: {
      1: { alive: true, paused: false, starting: false, producer_id_block: { start: 0, end: 999, next: 1 }, denied: [] },
      2: { alive: true, paused: false, starting: false, producer_id_block: null, denied: [] },
    },
    partitions: {
      "t-0": partition(replica(FIVE)),
      "t-1": partition(replica([logBatch(7, 2, { first_sequence: 0, last_sequence: 1, serials: [30, 31] })])),
    },
    zookeeper: {
      nodes: { "/latest_producer_id_block": { data: '{"version":1,"broker":1,"block_start":"0","block_end":"999"}', version: 0 } },
      sessions: { 1: { alive: true, expires_at: null }, 2: { alive: true, expires_at: null } },
    },
    network: { messages: {} },
    pending: { 91: { at: 148, class: "delivery", actor: "p1", what: "message 18" } },
    faults: {}, guarantees: { duplicated: { judged: true, broken_at: null, partition: null, serials: [] } },
    verdicts: { "t-0": { stored: 13, duplicates: 0, lost: 0, failed: 0, reordered: 0 } },
    ...over,
  };
}

export function stepOf(over: Partial<Step> = {}): Step {
  return {
    number: 42, at: 143, actor: "broker-1", kind: "delivery", key: "broker.duplicate_found",
    params: { partition: "t-0" }, rules: ["SEQ-11"], notes: [], decision: null, refusal: null, messages: [], transition: null,
    interesting: true, broken: [], changes: [], ...over,
  };
}

export const DUPLICATE: Step = stepOf({
  decision: {
    by: "broker-1", subject: "t-0", machine: "producer_append",
    arrived: { producer_id: 0, producer_epoch: 0, first_sequence: 0, last_sequence: 2 },
    stored: { producer_epoch: 0, last_sequence: 12 },
    rows: [
      { rule: "SEQ-11", key: "decision.duplicate_lookup", params: { first: 0, last: 2 }, outcome: "decided" },
      { rule: "SEQ-12", key: "decision.epoch", params: { arrived: 0, stored: 0 }, outcome: "not_reached" },
    ],
  },
  derived: { arrivals: [{ partition: "t-0", broker: "1", fate: "duplicate", at: 40 }] },
});

export function refusedStep(): Step {
  return stepOf({
    decision: {
      by: "broker-1", subject: "t-0", machine: "producer_append",
      arrived: { producer_id: 0, producer_epoch: 0, first_sequence: 15, last_sequence: 16 },
      stored: { producer_epoch: 0, last_sequence: 12 }, rows: [],
    },
    refusal: {
      rule: "SEQ-15", error: "OUT_OF_ORDER_SEQUENCE_NUMBER",
      compared: [["expected first sequence", 13], ["arrived first sequence", 15]], next: "refusal.client_retries_in_order",
      next_params: {},
    },
    derived: { arrivals: [{ partition: "t-0", broker: "1", fate: "refused", at: null }] },
  });
}

/** A step that appended `batch` to the leader of t-0, with the change that a recorder would write. */
export function appendedStep(batch: LogBatchView): Step {
  const path = ["partitions", "t-0", "replicas", "1", "batches", String(batch.base_offset)];
  return stepOf({
    key: "broker.appended", changes: [{ path, after: batch as unknown as Json }],
    derived: { arrivals: [{ partition: "t-0", broker: "1", fate: "appended", at: batch.base_offset }] },
  });
}

function keysOf(changes: readonly Change[]): Set<string> {
  const keys = new Set<string>();
  for (const change of changes) {
    for (let length = 1; length <= change.path.length; length++) keys.add(pathKey(change.path.slice(0, length)));
  }
  return keys;
}

export function frameOf(step: Step | null, now: View = view(), over: Partial<Frame> = {}): Frame {
  return {
    header: HEADER, view: now, step, previousView: step === null ? null : view(), plan: null, selection: null, language: "en",
    changed: keysOf(step?.changes ?? []), animate: false, ...over,
  };
}

export function message(over: Partial<MessageView> = {}): MessageView {
  serial += 1;
  return {
    id: serial, api: "Produce", is_response: false, from: "p1", to: "broker-1", sent_at: 138, arrives_at: 143,
    correlation_id: 7, partitions: ["t-0"],
    fields: {
      acks: -1,
      batches: { "t-0": { record_count: 3, producer_id: 0, producer_epoch: 0, base_sequence: 0, last_sequence: 2 } },
    },
    error: null, held: false, ...over,
  };
}

export function answer(over: Partial<MessageView> = {}): MessageView {
  return message({
    is_response: true, from: "broker-1", to: "p1", fields: { partitions: { "t-0": { error: "NONE", base_offset: 40 } } },
    error: "NONE", ...over,
  });
}

const GUARD = (guard([], () => nothing) as { _$litDirective$?: unknown })._$litDirective$;
const HANDLER = /\s@[a-z]+=$/;

/**
 * The HTML of a lit template, as one line of text, without listeners. Knows what the diagrams use: nested templates,
 * arrays, `nothing`, `guard`, and keyed `repeat`.
 */
export function markup(template: unknown): string {
  return plain(template).replace(/\s+/g, " ").replace(/> </g, "><").replace(/ (\/?>)/g, "$1").trim();
}

function plain(value: unknown): string {
  if (value === null || value === undefined || typeof value === "symbol" || typeof value === "function") return "";
  if (Array.isArray(value)) return value.map(plain).join("");
  if (typeof value !== "object") return String(value);
  const shaped = value as { strings?: readonly string[]; values?: unknown[]; _$litDirective$?: unknown };
  if (shaped._$litDirective$ === GUARD) return plain((shaped.values as [unknown, () => unknown])[1]());
  if (shaped._$litDirective$ !== undefined) return repeated(shaped.values ?? []);
  if (shaped.strings === undefined) return "";
  let text = "";
  shaped.strings.forEach((piece, index) => {
    const given = shaped.values?.[index];
    const last = index >= (shaped.values?.length ?? 0);
    if (last) text += piece;
    else if (HANDLER.test(piece)) text += piece.replace(HANDLER, "");
    else if (typeof given === "symbol" && piece.endsWith("=")) text += piece.replace(/\s\S+=$/, "");
    else if (piece.endsWith("=")) text += `${piece}"${plain(given)}"`;
    else text += piece + plain(given);
  });
  return text;
}

function repeated(values: unknown[]): string {
  const [items, , template] = values as [Iterable<unknown>, unknown, (item: unknown, index: number) => unknown];
  return [...items].map((item, index) => plain(template(item, index))).join("");
}

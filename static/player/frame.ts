/**
 * What a panel is given, and what it may say back. The joint between the player and the diagrams.
 *
 * The player folds the engine's changes into views (docs/frame.md) and hands every panel one `frame`.
 * A panel draws it and decides nothing about the protocol. It reports what was picked through a
 * `select` event. Views are never mutated: an object that is the same in two frames did not change,
 * so a panel may remember a layout by the identity of the part it was made from.
 */

import type { AbortedEntry, ContentView, CoordinationView, MiddlewareView, ReaderLaneView } from "./coordination-view.ts";
import type { Derived, StepDerived } from "./derived.ts";
import type { Plan } from "./plan.ts";

export type Language = "en" | "zh-Hans";

/** Words in both languages, as the engine's documents carry them. */
export type Bilingual = Record<Language, string>;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** `before` is missing when the path did not exist, `after` when it no longer exists. */
export interface Change {
  path: string[];
  before?: Json;
  after?: Json;
}

export interface Said {
  key: string;
  params: JsonObject;
  rules: string[];
}

export interface DecisionRow {
  rule: string;
  key: string;
  params: JsonObject;
  outcome: "passed" | "decided" | "not_reached" | "off";
}

export interface Decision {
  by: string;
  subject: string;
  machine: string;
  arrived: JsonObject;
  stored: JsonObject | null;
  rows: DecisionRow[];
}

export interface Refusal {
  rule: string;
  error: string;
  compared: [Json, Json][];
  next: string;
  next_params: JsonObject;
}

export interface Transition {
  machine: string;
  of: string;
  from: string;
  to: string;
  on: string;
  row: number;
}

export type MessageEvent = "sent" | "delivered" | "dropped" | "delayed" | "duplicated" | "lost";

export interface Broken {
  guarantee: string;
  partition: string | null;
  serials: number[];
}

/** One thing that happened; docs/frame.md, section Step. Numbers start at 1, times are virtual milliseconds. */
export interface Step extends Said {
  number: number;
  at: number;
  actor: string;
  kind: "api_call" | "sender_phase" | "delivery" | "replication" | "zookeeper" | "timer" | "fault" | "log";
  notes: Said[];
  decision: Decision | null;
  refusal: Refusal | null;
  messages: { id: number; event: MessageEvent }[];
  transition: Transition | null;
  /** Those of the same step before `transition`, oldest first. */
  earlier_transitions?: Transition[];
  interesting: boolean;
  broken: Broken[];
  changes: Change[];
  /** In no recording: told beside it. */
  derived?: StepDerived;
}

export interface RecordView {
  partition: string;
  producer: string;
  size: number;
  sent_at: number;
  status: string;
  offset: number | null;
  error: string | null;
  finished_at: number | null;
}

export interface ClientBatchView {
  partition: string;
  state: string;
  serials: number[];
  record_count: number;
  bytes: number;
  capacity: number;
  full: boolean;
  created_at: number;
  last_append_at: number;
  last_attempt_at: number;
  drained_at: number | null;
  attempts: number;
  producer_id: number | null;
  producer_epoch: number | null;
  first_sequence: number | null;
  last_sequence: number | null;
  resequenced: boolean;
  error: string | null;
}

export interface TransactionManagerView {
  state: string;
  last_edge: [string, string, string] | null;
  last_error: string | null;
  transactional_id: string | null;
  producer_id: number | null;
  producer_epoch: number | null;
  bump_required: boolean;
  partitions: Record<
    string,
    {
      next_sequence: number;
      last_acked_sequence: number | null;
      last_acked_offset: number | null;
      in_flight: string[];
      unresolved: Json;
    }
  >;
  requests: { api: string; priority: number }[];
  in_flight_request: Json;
}

export interface TimerView {
  kind: string;
  subject: string;
  since: number;
  until: number;
}

export interface ClientView {
  alive: boolean;
  paused: boolean;
  incarnation: number;
  closed: boolean;
  flush_in_progress: boolean;
  configuration: Record<string, { value: Json; reason?: string | null; rule?: string | null; default?: Json }>;
  metadata: { updated_at: number | null; update_requested: boolean; leaders: Record<string, number | null> };
  queues: Record<string, { batches: string[]; muted: boolean }>;
  batches: Record<string, ClientBatchView>;
  pool: { total: number; free: number; waiters: Json[] };
  ready: { nodes: Record<string, [string, string][]>; unknown_leader_topics: string[]; next_check_delay: number | null };
  sender: {
    pass: number;
    phase: string;
    drain_index: number;
    poll_timeout: number | null;
    poll_source: string | null;
    waiting_for: string | null;
  };
  connections: Record<string, { state: string; in_flight: number[]; limit: number }>;
  requests: Record<string, { api: string; to: string; batches: string[]; sent_at: number; deadline: number }>;
  transaction_manager: TransactionManagerView | null;
  timers: Record<string, TimerView>;
}

export interface ConsumerView {
  isolation: string;
  alive: boolean;
  paused: boolean;
  positions: Record<string, number>;
  delivered: Record<string, number[]>;
  delivered_count: number;
  applied_count: number;
  skipped_duplicates: number;
  lanes?: Record<string, ReaderLaneView>;
}

export interface LogBatchView {
  base_offset: number;
  last_offset: number;
  record_count: number;
  producer_id: number | null;
  producer_epoch: number | null;
  first_sequence: number | null;
  last_sequence: number | null;
  transactional: boolean;
  control: string | null;
  coordinator_epoch: number;
  leader_epoch: number;
  serials: number[];
  appended_at: number;
  size: number;
  /** Of a transaction's batch: `open`, `committed`, `aborted`, in a log case also `ended`. */
  outcome?: string;
  /** Internal topics only. */
  content?: ContentView;
}

/** first sequence, last sequence, first offset, last offset, timestamp; oldest first in the cache. */
export type CachedBatch = [number, number, number, number, number];

export interface ReplicaView {
  log_start: number;
  log_end: number;
  high_watermark: number;
  last_stable_offset: number;
  segments: number[];
  waiting: { partition: string; until_offset: number; client: string; deadline: number }[];
  batches: Record<string, LogBatchView>;
  aborted_index?: AbortedEntry[];
  aborted_folded?: number;
  producers: Record<
    string,
    {
      producer_epoch: number;
      coordinator_epoch: number;
      last_timestamp: number;
      transaction_first_offset: number | null;
      batches: CachedBatch[];
    }
  >;
}

export interface PartitionView {
  leader: number | null;
  leader_epoch: number;
  isr: number[];
  replica_order: number[];
  min_isr: number;
  deleted: boolean;
  replicas: Record<string, ReplicaView>;
}

export interface MessageView {
  id: number;
  api: string;
  is_response: boolean;
  from: string;
  to: string;
  sent_at: number;
  arrives_at: number | null;
  correlation_id: number;
  partitions: string[];
  fields: JsonObject;
  error: string | null;
  held: boolean;
}

export interface GuaranteeView {
  judged?: boolean;
  /** Records, producers or transactions for which it is broken by now; the rest is of the first break. */
  count?: number;
  broken_at?: number | null;
  partition?: string | null;
  serials?: number[];
}

export interface VerdictView {
  stored: number;
  duplicates: number;
  lost: number;
  failed: number;
  reordered: number;
}

/** Where an application that goes round stands in the table `application_loop`, and what it holds. */
export interface LoopView {
  consumer: string;
  state: string;
  round: number;
  /** (partition, offset) of the records that it took and has not finished. */
  hand: [string, number][];
  sent: number;
  in_transaction: boolean;
}

/** What the diagrams draw; docs/frame.md, section View. A log case has only time, partitions and guarantees. */
/** Batches of a log that a view does not list: first and last offset, batches, records in them. */
export type FoldedLog = [first: number, last: number, batches: number, records: number][];

export interface FoldedRecords {
  /** First and last serial, and how many there are. */
  stretches: [first: number, last: number, records: number][];
  /** By producer, how many have each status. */
  counts: Record<string, Record<string, number>>;
}

/** Batches of a client's queue that a view does not list: the first and the last of them, how many, records in them. */
export type FoldedQueue = [first: string, last: string, batches: number, records: number];

/** What a sight leaves out (docs/websocket.md). */
export interface Folded {
  /** The step where the view was cut. */
  at: number;
  /** How many steps back from there everything near is still listed. */
  reaches: number;
  records?: FoldedRecords;
  /** By partition and replica. */
  logs?: Record<string, Record<string, FoldedLog>>;
  /** By client and partition of the queue. */
  batches?: Record<string, Record<string, FoldedQueue>>;
}

export interface View {
  time: number;
  folded?: Folded;
  /** Missing in a recording that was kept before the engine told it. */
  derived?: Derived;
  applications?: Record<
    string,
    {
      client: string;
      next_call: number;
      calls: number;
      next_at: number | null;
      blocked_by: string | null;
      finished: boolean;
      last_result: string | null;
      /** An application that goes round: `next_call` and `calls` count rounds, of which it may have many left. */
      loop?: LoopView;
    }
  >;
  records?: Record<string, RecordView>;
  clients?: Record<string, ClientView>;
  consumers?: Record<string, ConsumerView>;
  brokers?: Record<
    string,
    {
      alive: boolean;
      paused: boolean;
      starting: boolean;
      producer_id_block: { start: number; end: number; next: number } | null;
      denied: Json[];
    } & CoordinationView
  >;
  partitions?: Record<string, PartitionView>;
  middleware?: MiddlewareView;
  zookeeper?: {
    nodes: Record<string, { data: string; version: number }>;
    sessions: Record<string, { alive: boolean; expires_at: number | null }>;
  };
  network?: { messages: Record<string, MessageView> };
  pending?: Record<string, { at: number; class: string; actor: string; what: string }>;
  faults?: Record<string, { action: string; seen: number; remaining: number | null }>;
  guarantees?: Record<string, GuaranteeView>;
  verdicts?: Record<string, VerdictView>;
  /** Absent while all are 0. */
  counters?: Record<string, number>;
}

/** Does not change during a run. */
export interface Header {
  scenario: string;
  variant: string | null;
  title: Bilingual;
  /** What happens, where the scenario says it. */
  summary?: Bilingual | null;
  profile: string;
  version: string;
  switches: JsonObject;
  altered: Record<string, [Json, Json]>;
  engine: string;
  actors: { name: string; role: string }[];
  partitions: string[];
  step_limit: number;
  /** What the middle of the page shows first, where the scenario says it. */
  opens_on?: "stage" | "lanes" | "spacetime";
}

export type SelectionKind = "message" | "batch" | "partition" | "actor" | "record" | "timer" | "transaction";

/**
 * What the reader picked. One thing has many pictures (a batch in the accumulator, in flight, in the log);
 * `partition` and `serials` let every panel find its own picture of it.
 *
 * `id`: message "18"; batch "p1/b1" in a client, "t-0/40" (partition/base offset) in a log; partition "t-0";
 * actor "broker-1"; transaction "txn-1" (transactional id); record "7" (its serial); timer "p1/backoff b1" (client/name in the view).
 */
export interface Selection {
  kind: SelectionKind;
  id: string;
  partition?: string;
  serials?: number[];
}

/** The whole of what a panel knows. A new object whenever anything in it differs. */
export interface Frame {
  header: Header;
  /** The state after `step`; at position 0 the first state. */
  view: View;
  /** The step that led here; null at position 0. */
  step: Step | null;
  /** The state before `step`; null at position 0. */
  previousView: View | null;
  selection: Selection | null;
  language: Language;
  /** Tells by its key (`pathKey`) whether `step` changed a path or something below it. */
  changed: Pick<ReadonlySet<string>, "has">;
  /** Where everything of the run has its place, and its beats; null until it is here. */
  plan: Plan | null;
  /** True only right after one step forward and when the reader did not ask for less motion. */
  animate: boolean;
}

/** Fate of a message, gathered by the store over the loaded steps, oldest first: the arrows of space-time. */
export interface Arrow {
  id: number;
  message: MessageView;
  sentStep: number;
  sentAt: number;
  /** Null while it is under way. */
  settledStep: number | null;
  settledAt: number | null;
  /** `delayed` and `duplicated` are told beside the fate, not instead of it. */
  fate: "under_way" | "delivered" | "dropped" | "lost";
  delayed: boolean;
  duplicated: boolean;
}

/** A turning point between messages, gathered like the arrows: a fault, or a timer that changed a batch's fate. */
export interface Mark extends Said {
  step: number;
  at: number;
  actor: string;
}

/** Joins a path to one key. Names hold dots and slashes (topics, ZooKeeper nodes), never U+001F. */
export function pathKey(path: readonly string[]): string {
  return path.join("\u001f");
}

/** Fired by panels; bubbles and crosses shadow roots. `detail` null clears the selection. */
export type SelectEvent = CustomEvent<Selection | null>;

/** What a panel fires when something was picked: `this.dispatchEvent(selectEvent({kind: "message", id: "18"}))`. */
export function selectEvent(selection: Selection | null): SelectEvent {
  return new CustomEvent("select", { detail: selection, bubbles: true, composed: true });
}

/** When what lies far back is to be fetched, in a panel's event `look-back`: at once, or unless the reader moves on. */
export type LookBack = "now" | "at_rest";

/** What every panel is: an element with one property. */
export interface Panel extends HTMLElement {
  frame: Frame | undefined;
}

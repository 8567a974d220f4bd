/**
 * What coordinators and the middleware add to a view; docs/frame.md. Objects that hold nothing are left out by the
 * engine, so every part may be absent.
 */

import type { Json } from "./frame.ts";

export interface TransactionView {
  state: string;
  pending_state: string | null;
  producer_id: number;
  last_producer_id: number | null;
  producer_epoch: number;
  last_producer_epoch: number | null;
  timeout_ms: number;
  partitions: string[];
  started_at: number | null;
  times_out_at: number | null;
  last_update: number;
  failed_epoch_fence: boolean;
  coordinator_epoch: number;
  log_partition: number;
}

export interface MarkerView {
  transactional_id: string;
  producer_id: number;
  producer_epoch: number;
  coordinator_epoch: number;
  result: string;
  partitions: string[];
  /** Of the transaction log; a queue is in its order. */
  log_partition?: number;
}

export interface MarkerBoardView {
  queues?: Record<string, MarkerView[]>;
  unknown_broker?: MarkerView[];
  in_flight?: Record<string, MarkerView[]>;
  /** `passed_over`: partitions whose answer was thrown away, so that nobody sends their markers any more. */
  waiting?: Record<string, { result: string; remaining: string[]; retries: number; passed_over?: string[] }>;
  /** In runs of the first version of the engine. */
  stopped?: boolean;
}

export interface GroupView {
  log_partition: number;
  committed?: Record<string, { offset: number; position: number | null }>;
  committing?: Record<string, number>;
  /** By producer id. */
  pending?: Record<string, Record<string, { offset: number; position: number | null }>>;
}

/** What a reader has to do with every offset of a lane. */
export interface ReaderLaneView {
  position: number | null;
  stretches?: [number, number, string][];
  folded?: number;
  ahead?: [number, number, string][];
  bound?: number | null;
  held_by?: { producer_id: number | string; first_offset: number } | null;
  /** Of a log case's readers: how many records they were given, which nobody has named. */
  read?: number;
}

/** The additions to one broker. */
export interface CoordinationView {
  coordinator?: { coordinator_epochs?: Record<string, number>; loading?: Record<string, number> };
  lookups?: Record<string, { key: string; topic: string; hash: number; partition: number | null; leader: number | null }>;
  transactions?: Record<string, TransactionView>;
  markers?: MarkerBoardView;
  groups?: Record<string, GroupView>;
}

/** What a batch of an internal topic holds, record by record. */
export interface ContentView {
  keys: Json[];
  values: Json[];
  offset_deltas: number[] | null;
}

/** producer id, first offset, marker offset, last stable offset when the marker came. */
export type AbortedEntry = [number, number, number, number];

export interface MiddlewareTransactionView {
  state: string;
  message: string;
  decision: string | null;
  votes?: Record<string, string>;
  answers?: Record<string, { asked: string; asked_at: number | null; answer: string | null; at: number | null; tries: number }>;
  checks: number;
  tries: number;
  timer: { kind: string; since: number; until: number } | null;
  window: { since: number | null; until: number | null };
}

export interface CompensationView {
  tid: number;
  operation: number;
  before: number;
  after: number;
  undone: boolean;
}

export interface ParticipantView {
  alive?: boolean;
  value?: number;
  reserved?: number;
  transactions?: Record<string, { state: string; operation: number; applied: number }>;
  log?: CompensationView[];
}

export interface MiddlewareView {
  business?: { alive?: boolean; transactions?: Record<string, { state: string; stored: string | null; result: string | null; due?: number | null }> };
  middleware?: { alive?: boolean; strategy: string; direction: string; back_check: boolean; durable: boolean };
  transactions?: Record<string, MiddlewareTransactionView>;
  manager?: { alive?: boolean; transactions?: Record<string, { state: string; answers?: Record<string, string | null>; due: number | null }> };
  participants?: Record<string, ParticipantView>;
}

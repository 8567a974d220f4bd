/**
 * The plan of a run: where everything has its place, and the beats in which the run is told. Made by the engine
 * (`engine/view`), described in docs/frame.md, *Plan*; null in a frame until it is here.
 */

import type { Bilingual, JsonObject } from "./frame.ts";

export interface PlannedClient {
  name: string;
  applications: string[];
  transactional_id: string | null;
  /** Those that it ever has a batch for. */
  partitions: string[];
}

export interface PlannedBroker {
  name: string;
  /** Every data partition that it ever leads. */
  lanes: string[];
  /** Every id, and every group, that it ever coordinates. */
  transactional_ids: string[];
  groups: string[];
}

export interface PlannedLane {
  /** The first offset that is ever shown. */
  first: number;
  /** The furthest log end. */
  end: number;
  internal: boolean;
  /** Broker ids, in order. */
  leaders: number[];
}

export interface PlannedConsumer {
  name: string;
  isolation: string;
  lanes: string[];
}

export interface PlannedMiddleware {
  roles: string[];
  participants: string[];
}

export interface Plan {
  /** Steps that the run ahead made. */
  steps: number;
  /** False: its bound was reached, the run goes on. */
  complete: boolean;
  /** Producer id to the order of its first appearance: 0, 1, 2, … */
  hues: Record<string, number>;
  clients: PlannedClient[];
  brokers: PlannedBroker[];
  lanes: Record<string, PlannedLane>;
  consumers: PlannedConsumer[];
  /** The controller or ZooKeeper acts in this run. */
  controller: boolean;
  middleware: PlannedMiddleware | null;
  beats: Beat[];
}

export interface Beat {
  /** From 1, on its own level. */
  number: number;
  /** Steps, inclusive. */
  first: number;
  last: number;
  /** The step where a reader is set down. */
  lands: number;
  /** The title, in the catalogue. */
  key: string;
  params: JsonObject;
  /** An author's own name for it. */
  title?: Bilingual;
  lines: BeatLine[];
  /** Where a run is long; `lines` is empty then. */
  beats?: Beat[];
}

/** A step that speaks for itself (`key` null), or neighbours that are counted and named by what they are for. */
export interface BeatLine {
  first: number;
  last: number;
  key: string | null;
  params: JsonObject;
}

/**
 * What a panel gets, and what it may report: the interface between the player and the diagrams.
 *
 * The player folds the engine's changes into views (docs/frame.md) and gives every panel one `frame`. A panel draws it
 * and decides nothing about the protocol. It reports the picked thing through a `select` event. Views are never
 * mutated: an object that is the same in two frames did not change, so a panel may remember a layout by the identity of
 * the part from which it was made.
 */

import type { Bilingual, Folded, Header, MessageView, Plan, ProducerStateView, Said, SentStep as Step } from "../generated/messages.ts";
import type { Selection, View } from "./whole-view.ts";

export type {
  Bilingual,
  Broken,
  Change,
  ClientBatchView,
  ConsumerView,
  Decision,
  DecisionRow,
  Folded,
  FoldedRecords,
  GuaranteeView,
  Header,
  Json,
  JsonObject,
  LogBatchView,
  LoopView,
  MessageView,
  Plan,
  RecordView,
  Refusal,
  Said,
  SentStep as Step,
  TimerView,
  Transition,
  VerdictView,
} from "../generated/messages.ts";
export type { ClientView, PartitionView, ReplicaView, Selection, TransactionManagerView, View } from "./whole-view.ts";

export type Language = keyof Bilingual;

export type MessageEvent = Step["messages"][number]["event"];

/** First sequence, last sequence, first offset, last offset, timestamp; oldest first in the cache. */
export type CachedBatch = ProducerStateView["batches"][number];

/** Batches of a log that a view does not list: first and last offset, number of batches, number of records. */
export type FoldedLog = NonNullable<Folded["logs"]>[string][string];

/**
 * Batches of a client's queue that a view does not list: the first and the last one, their number, and the number of
 * their records.
 */
export type FoldedQueue = NonNullable<Folded["batches"]>[string][string];

export type SelectionKind = Selection["kind"];

/** Everything that a panel knows. It is a new object whenever anything in it differs. */
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
  /** Has the key (`pathKey`) of each path at or below which `step` changed something. */
  changed: Pick<ReadonlySet<string>, "has">;
  /** The plan of the run: the place of everything, and the beats; null until it has arrived. */
  plan: Plan | null;
  /** Id of each message of the loaded steps that was delayed → when it was due before (virtual ms). Missing: none. */
  delayed?: ReadonlyMap<number, number>;
  /** The view of the run that is compared with this one; missing if there is none. */
  beside?: View;
  /** True only right after one step forward, and if the reader did not ask for less motion. */
  animate: boolean;
}

/** A message and its fate, collected by the store over the loaded steps, oldest first: an arrow of space-time. */
export interface Arrow {
  id: number;
  message: MessageView;
  sentStep: number;
  sentAt: number;
  /** Null while the message is in transit. */
  settledStep: number | null;
  settledAt: number | null;
  /** `delayed` and `duplicated` are shown beside the fate, not instead of it. */
  fate: "under_way" | "delivered" | "dropped" | "lost";
  delayed: boolean;
  duplicated: boolean;
  /** Partition → base offset at which a batch of the message was appended to the log. */
  stored: Record<string, number>;
  /** Partition → base offset of the stored batch of which a batch of the message is a duplicate. */
  equals: Record<string, number>;
}

/** A turning point between messages, collected like the arrows: a fault, or a timer that changed a batch's fate. */
export interface Mark extends Said {
  step: number;
  at: number;
  actor: string;
}

/** Joins a path to one key. Names may contain dots and slashes (topics, ZooKeeper nodes), never U+001F. */
export function pathKey(path: readonly string[]): string {
  return path.join("\u001f");
}

/** Fired by panels; bubbles and crosses shadow roots. `detail` null clears the selection. */
export type SelectEvent = CustomEvent<Selection | null>;

/**
 * The event that a panel fires when something was picked: `this.dispatchEvent(selectEvent({kind: "message", id:
 * "18"}))`.
 */
export function selectEvent(selection: Selection | null): SelectEvent {
  return new CustomEvent("select", { detail: selection, bubbles: true, composed: true });
}

/**
 * When parts that lie far back are fetched after a panel's event `look-back`: at once, or unless the reader moves on.
 */
export type LookBack = "now" | "at_rest";

/** A panel: an element with one property. */
export interface Panel extends HTMLElement {
  frame: Frame | undefined;
}

/**
 * What a panel is given, and what it may report: the interface between the player and the diagrams.
 *
 * The player folds the engine's changes into views (docs/frame.md) and hands every panel one `frame`.
 * A panel draws it and decides nothing about the protocol. It reports what was picked through a
 * `select` event. Views are never mutated: an object that is the same in two frames did not change,
 * so a panel may remember a layout by the identity of the part it was made from.
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

/** Batches of a log that a view does not list: first and last offset, batches, records in them. */
export type FoldedLog = NonNullable<Folded["logs"]>[string][string];

/** Batches of a client's queue that a view does not list: the first and the last of them, how many, records in them. */
export type FoldedQueue = NonNullable<Folded["batches"]>[string][string];

export type SelectionKind = Selection["kind"];

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
  /** Whether, by its key (`pathKey`), `step` changed a path or something below it. */
  changed: Pick<ReadonlySet<string>, "has">;
  /** Where everything of the run has its place, and its beats; null until it is here. */
  plan: Plan | null;
  /** Messages of the loaded steps that were delayed, with when each was due before (virtual ms). Missing: none. */
  delayed?: ReadonlyMap<number, number>;
  /** The state of the run that is shown beside this one. Missing: none is. */
  beside?: View;
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
  /** `delayed` and `duplicated` are shown beside the fate, not instead of it. */
  fate: "under_way" | "delivered" | "dropped" | "lost";
  delayed: boolean;
  duplicated: boolean;
  /** Where the batches that it brought were appended to the log, by partition: base offsets. */
  stored: Record<string, number>;
  /** Where the equals of its duplicates, which were not stored again, stand there. */
  equals: Record<string, number>;
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

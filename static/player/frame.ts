/**
 * The interface between the player and the diagrams: the frame that a panel gets, and the events that it may fire.
 *
 * The player folds the engine's changes into views (docs/frame.md) and gives every panel one `frame`. A panel draws it
 * and decides nothing about the protocol. It reports the picked thing by a `select` event. Views are never mutated: an
 * object that is the same in two frames did not change, so a panel may keep a layout as long as the part of the view
 * from which it was made is the same object.
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

/**
 * A range of a log's batches that a view leaves out: first offset, last offset, number of batches, number of records.
 */
export type FoldedLog = NonNullable<Folded["logs"]>[string][string];

/**
 * Batches of a client's queue that a view leaves out: name of the first and of the last one, their number, and the
 * number of their records.
 */
export type FoldedQueue = NonNullable<Folded["batches"]>[string][string];

export type SelectionKind = Selection["kind"];

/** Everything that a panel gets. If anything in it changes, the panel gets a new object. */
export interface Frame {
  header: Header;
  /** The state of the run after `step`; before the first step, the initial state. */
  view: View;
  /** The step on show; null before the first step. */
  step: Step | null;
  /** The state before `step`; null before the first step. */
  previousView: View | null;
  selection: Selection | null;
  language: Language;
  /** Has the key (`pathKey`) of each path at or below which `step` changed something. */
  changed: Pick<ReadonlySet<string>, "has">;
  /** The plan of the run: the place of everything, and the beats; null until it has arrived. */
  plan: Plan | null;
  /** Id of a delayed message of the loaded steps → the virtual time (ms) at which it was due before. Missing: none. */
  delayed?: ReadonlyMap<number, number>;
  /** The view of the run that is compared with this one; missing if there is none. */
  beside?: View;
  /** Whether the change to this frame is animated: after one step forward, unless the reader asks for less motion. */
  animate: boolean;
}

/** An arrow of the space-time diagram: a message with its fate. The store collects them over the loaded steps. */
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

/**
 * A turning point of the run, collected like the arrows: a fault, or a timer that ran out and changed a batch's state.
 */
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
 * Detail of a panel's event `look-back`, which requests the old parts that the view leaves out: at once, or after the
 * reader has stayed at the step for a moment.
 */
export type LookBack = "now" | "at_rest";

/** A panel: an element with one property. */
export interface Panel extends HTMLElement {
  frame: Frame | undefined;
}

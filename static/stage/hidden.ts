/**
 * Why a record is hidden from read_committed consumers: the engine's facts about a consumer's lane and about the log
 * (docs/frame.md, *Derived*), looked up by offset.
 */

import type { Derived, ReaderLaneView } from "../generated/messages.ts";
import type { Frame, LogBatchView } from "../player/frame.ts";
import { say } from "../player/text.ts";

type HeldStretches = NonNullable<Derived["held"]>[string];

/**
 * The record's own transaction has no marker yet; its marker is not replicated; the record is behind another
 * transaction; the view does not say which of these (in a file of an earlier version, or far back in a log); its
 * transaction was aborted; the record is not replicated yet.
 */
export type Reason = HeldStretches[number][2] | "unrecorded" | "aborted" | "not_replicated";
export const REASONS: readonly Reason[] = ["undecided", "marker", "behind", "unrecorded", "aborted", "not_replicated"];

/** The engine's facts about a log; empty for a file of an earlier version. */
export const heldIn = ({ view }: Frame, partition: string): HeldStretches => view.derived?.held?.[partition] ?? [];

export interface Stretch {
  first: number;
  last: number;
  /** `marker_aborted`: the marker that aborts the transaction is not replicated yet. */
  reason: Reason | "marker_aborted";
  long: string;
  medium: string;
  short: string;
}

/** The lane of a partition that a consumer does not read. */
export const NOT_READ: ReaderLaneView = { position: null, stretches: [], folded: 0, ahead: [], bound: null, held_by: null };

/**
 * The transaction that holds back a lane's consumers: `1000·0`, with the epoch of its first batch; null: there is none.
 */
export function holderOf(lane: ReaderLaneView | undefined, batches: readonly LogBatchView[]): string | null {
  const held = lane?.held_by;
  if (held === null || held === undefined) return null;
  const epoch = batches.find((batch) => batch.base_offset === held.first_offset)?.producer_epoch;
  return epoch === undefined || epoch === null ? String(held.producer_id) : `${held.producer_id}·${epoch}`;
}

/** Why the record at an offset is hidden. Null if nothing hides it, or if it is a marker, which no application gets. */
export function reasonAt(held: HeldStretches, lane: ReaderLaneView, batch: LogBatchView | undefined, offset: number): Reason | null {
  const within = ([first, last]: readonly [number, number, string]): boolean => first <= offset && offset <= last;
  const [, , fate] = lane.ahead?.find(within) ?? lane.stretches?.find(within) ?? [0, 0, ""];
  if (batch !== undefined && batch.control !== null) return null;
  if (fate === "undecided") return held.find(within)?.[2] ?? "unrecorded";
  if (fate === "aborted" || fate === "not_replicated") return fate;
  return null;
}

/**
 * The lane of the first read_committed consumer that a transaction holds back, else of the first one that reads the
 * partition; in a log case, that of a possible consumer.
 */
export function committedLane(frame: Frame, partition: string): ReaderLaneView | undefined {
  const lanes = Object.values(frame.view.consumers ?? {}).filter((consumer) => consumer.isolation === "read_committed")
    .map((consumer) => consumer.lanes?.[partition]).filter((lane) => lane !== undefined && lane.position !== null);
  return lanes.find((lane) => lane?.held_by != null) ?? lanes[0] ?? (Object.keys(frame.view.consumers ?? {}).length === 0 ? frame.view.derived?.possible?.[partition] : undefined);
}

/**
 * Neighbouring batches that are hidden for the same reason, in the order of the log. A batch counts as aborted from its
 * transaction's marker on, as it is drawn.
 */
export function heldStretches(frame: Frame, partition: string, shown: readonly LogBatchView[]): Stretch[] {
  const lane = committedLane(frame, partition) ?? NOT_READ;
  const holder = holderOf(lane, shown);
  const held = heldIn(frame, partition);
  const stretches: Stretch[] = [];
  let whole = false;
  for (const batch of shown) {
    const why = reasonAt(held, lane, batch, batch.base_offset);
    const reason = batch.outcome !== "aborted" ? why : why === "marker" ? "marker_aborted" : "aborted";
    const last = stretches[stretches.length - 1];
    if (reason === null) {
      whole = false;
    } else if (whole && last?.reason === reason) {
      last.last = batch.last_offset;
    } else {
      stretches.push({ first: batch.base_offset, last: batch.last_offset, reason, ...wordsOf(reason, holder) });
      whole = true;
    }
  }
  return stretches;
}

export function wordsOf(reason: Stretch["reason"], holder: string | null): { long: string; /** May be "". */ medium: string; short: string } {
  if (reason === "behind") return { long: holder === null ? say("stage.hidden.behind_it") : say("stage.hidden.behind", { holder }), medium: say("stage.hidden.behind_it"), short: say("stage.hidden.behind_short") };
  return { long: say(`stage.hidden.${reason}`), medium: "", short: say(`stage.hidden.${reason}_short`) };
}

/**
 * Finds the reason why a record is hidden from read_committed consumers, by its offset, in the engine's facts about the
 * consumer's lane and the log (docs/frame.md, *Derived*).
 */

import type { Derived, ReaderLaneView } from "../generated/messages.ts";
import type { Frame, LogBatchView } from "../player/frame.ts";
import { say } from "../player/text.ts";

type HeldStretches = NonNullable<Derived["held"]>[string];

/**
 * The reasons, in the order of REASONS: the record's own transaction has no marker yet (`undecided`); its marker is not
 * replicated (`marker`); another transaction holds the record back (`behind`); the view does not say which of these, in
 * a file of an earlier version or far back in a log (`unrecorded`); its transaction was aborted; the record is not
 * replicated yet.
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
 * The transaction that holds back a lane's consumers, as producer id and epoch of its first batch: `1000·0`. Null if
 * none does.
 */
export function holderOf(lane: ReaderLaneView | undefined, batches: readonly LogBatchView[]): string | null {
  const held = lane?.held_by;
  if (held === null || held === undefined) return null;
  const epoch = batches.find((batch) => batch.base_offset === held.first_offset)?.producer_epoch;
  return epoch === undefined || epoch === null ? String(held.producer_id) : `${held.producer_id}·${epoch}`;
}

/**
 * The reason why the record at an offset is hidden. Null if it is not hidden, or is a marker, which no consumer
 * receives.
 */
export function reasonAt(held: HeldStretches, lane: ReaderLaneView, batch: LogBatchView | undefined, offset: number): Reason | null {
  const within = ([first, last]: readonly [number, number, string]): boolean => first <= offset && offset <= last;
  const [, , fate] = lane.ahead?.find(within) ?? lane.stretches?.find(within) ?? [0, 0, ""];
  if (batch !== undefined && batch.control !== null) return null;
  if (fate === "undecided") return held.find(within)?.[2] ?? "unrecorded";
  if (fate === "aborted" || fate === "not_replicated") return fate;
  return null;
}

/**
 * The view of a partition's lane for a read_committed consumer: for the first one that a transaction holds back, else
 * for the first one that reads the partition; in a log case without consumers, for a possible one. Undefined if there
 * is none.
 */
export function committedLane(frame: Frame, partition: string): ReaderLaneView | undefined {
  const lanes = Object.values(frame.view.consumers ?? {}).filter((consumer) => consumer.isolation === "read_committed")
    .map((consumer) => consumer.lanes?.[partition]).filter((lane) => lane !== undefined && lane.position !== null);
  return lanes.find((lane) => lane?.held_by != null) ?? lanes[0] ?? (Object.keys(frame.view.consumers ?? {}).length === 0 ? frame.view.derived?.possible?.[partition] : undefined);
}

/**
 * The ranges of neighbouring batches that are hidden for the same reason, in the order of the log. A batch counts as
 * aborted as soon as its transaction has an ABORT marker, because it is then drawn so.
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

/**
 * Above a lane: the batch that arrives in this step with its fate according to the engine, or the batches in transit to
 * the lane. Pure.
 */

import type { Frame, Json, MessageView, ReplicaView, Selection } from "../player/frame.ts";
import { facts, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import type { Id } from "./batch.ts";
import { batchLabel, batchWords, identity, range, serialsText } from "./batch.ts";
import { errorText } from "./field-words.ts";
import { MARK, TEXT, round, textWidth, wrapAtMost } from "./geometry.ts";
import { batchHue } from "./instance.ts";
import type { Arrived } from "./lane-arrived.ts";
import type { Cells } from "./lane-cells.ts";
import { placedAt } from "./lane-cells.ts";
import type { ArrivalShape, TextShape } from "./lane-shapes.ts";
import { carriedBatches, isPicked, messageSelection } from "./picked.ts";
import { found } from "./reading.ts";
import { isMessageOfPicked, isOfPicked } from "./transaction-picked.ts";

export interface ArrivalOptions {
  top: number;
  cellHeight: number;
  /** y of the top of the log's cells. */
  cellsTop: number;
  cellsHeight: number;
  right: number;
  narrow: boolean;
  unit: number;
}

export function cellWidth(label: string, count: number | null, unit: number): number {
  return round(Math.max(textWidth(label, TEXT, true) + 16, Math.min(count ?? 1, 4) * unit));
}

/** The label of the arriving batch, the same as on its cell in the log. For a marker, one letter on a flag: C or A. */
function labelOf(arrived: Arrived, short: boolean): string {
  if (arrived.content != null) return arrived.content.what;
  return arrived.control == null ? batchLabel(asLabelled(arrived), short) : arrived.control.slice(0, 1);
}

function asLabelled(arrived: Arrived) {
  return {
    producer_id: arrived.producerId,
    producer_epoch: arrived.epoch,
    first_sequence: arrived.first,
    last_sequence: arrived.last,
    serials: arrived.serials,
    record_count: arrived.count ?? 0,
  };
}

export function layoutArrival(
  frame: Frame,
  partition: string,
  arrived: Arrived,
  replica: ReplicaView,
  cells: Cells,
  options: ArrivalOptions,
): { shape: ArrivalShape; twin: string } {
  const target = arrived.at === null ? null : placedAt(cells, arrived.at);
  const who = identity(arrived.producerId, arrived.epoch);
  const label = labelOf(arrived, who !== null && who === cells.common);
  const width = target === null ? cellWidth(label, arrived.count, options.unit) : round(Math.max(target.width - 2, textWidth(label, TEXT, true) + 12));
  const x = target === null ? cells.left : round(target.x + 1);
  const y = options.top + 4;
  const selection: Selection = { kind: "batch", id: `${partition}/${arrived.at ?? "arriving"}`, partition };
  if (arrived.serials.length > 0) selection.serials = [...arrived.serials];
  const words = arrivalWords(frame, arrived);
  const shape: ArrivalShape = {
    key: `arrival-${partition}`,
    fate: arrived.fate,
    cells: [{
      key: "now", x, y, width, height: options.cellHeight, hue: batchHue(frame, arrived.producerId, arrived.epoch), label,
      picked: isPicked(frame.selection, selection) || isOfPicked(frame, { producer: arrived.producerId }), selection,
      name: `${words.headline} ${words.detail}`, control: arrived.control,
    }],
    texts: [],
    bars: null,
    path: null,
    cross: null,
    ghost: null,
  };
  const bottom = y + options.cellHeight + 5;
  if (arrived.fate === "duplicate" && target !== null) {
    const middle = round(x + width / 2);
    shape.bars = { x: [middle - 5, middle + 5], top: bottom, bottom: options.cellsTop - 5 };
  } else if (arrived.fate === "appended" && target !== null) {
    const middle = round(target.x + target.width / 2);
    shape.path = `M${middle} ${bottom}V${options.cellsTop - 7}`;
  }
  if (arrived.fate !== "appended") addGhost(shape, arrived, replica, cells, options, x + width);
  shape.texts = arrivalTexts(words, {
    x, width, middle: y + options.cellHeight / 2, left: cells.left, right: options.right, cross: shape.cross?.x ?? null,
    narrow: options.narrow,
  });
  return { shape, twin: `${words.headline} ${words.detail}` };
}

/** Adds a crossed-out outline at the place in the log where the batch would have been appended. */
function addGhost(
  shape: ArrivalShape, arrived: Arrived, replica: ReplicaView, cells: Cells, options: ArrivalOptions, from: number,
): void {
  const lines = arrived.count === null || options.narrow
    ? [say("diagram.lanes.not_stored")]
    : [
        say("diagram.lanes.would_be", { offsets: range(replica.log_end, replica.log_end + arrived.count - 1) }),
        say("diagram.lanes.not_stored"),
      ];
  const wanted = Math.max(...lines.map((line) => textWidth(line, MARK, true))) + 14;
  const left = cells.right + 8;
  const width = round(Math.min(wanted, options.right - left));
  if (width < 40) return;
  const middle = round(left + width / 2);
  const line = round((shape.cells[0]?.y ?? 0) + options.cellHeight / 2);
  const y = options.cellsTop;
  shape.ghost = { x: round(left), y, width, height: options.cellsHeight, lines };
  shape.cross = { x: middle, y: y - 14 };
  if (middle > from + 10) shape.path = `M${round(from + 6)} ${line}H${middle}V${y - 26}`;
}

export interface ArrivalWords {
  /** The label, as on the batch's cell: `0·0 | 0–2`. */
  label: string;
  headline: string;
  detail: string;
  /**
   * Shorter texts for little room: two for `headline`, of which `headlineLeast` is the shortest, and one for `detail`.
   */
  headlineBrief: string;
  headlineLeast: string;
  brief: string;
}

export function arrivalWords(frame: Frame, arrived: Arrived): ArrivalWords {
  const batch = arrived.content != null
    ? `${arrived.content.whose} ${arrived.content.what}`
    : arrived.control == null
    ? batchWords(asLabelled(arrived))
    : say("diagram.lanes.marker", {
        result: arrived.control, producer_id: arrived.producerId ?? null, producer_epoch: arrived.epoch ?? null,
      });
  const at = frame.step?.at ?? frame.view.time;
  const isSame = arrived.fate === "duplicate";
  const headline = say(isSame ? "diagram.lanes.arrives_same" : "diagram.lanes.arrives", { batch, at });
  const headlineBrief = say(isSame ? "diagram.lanes.arrives_same_brief" : "diagram.lanes.arrives_brief", { at });
  const [detail, brief] = fateWords(frame, arrived);
  return { label: arrived.control ?? batchLabel(asLabelled(arrived)), headline, detail, headlineBrief, headlineLeast: say("diagram.at", { at }), brief };
}

function fateWords(frame: Frame, arrived: Arrived): [detail: string, brief: string] {
  const at = arrived.at ?? 0;
  switch (arrived.fate) {
    case "appended": {
      const offsets = range(at, at + (arrived.count ?? 1) - 1);
      // Markers and records of internal topics have no serials.
      if (arrived.serials.length === 0) return [say("diagram.lanes.appended_brief", { offsets }), say("diagram.lanes.appended_brief", { offsets })];
      return [
        say("diagram.lanes.appended", { offsets, records: serialsText(arrived.serials) }),
        say("diagram.lanes.appended_brief", { offsets }),
      ];
    }
    case "duplicate":
      return [say("diagram.lanes.already_stored", { base_offset: at }), say("diagram.lanes.already_stored_brief", { base_offset: at })];
    case "refused": {
      const error = frame.step?.refusal?.error ?? "";
      // The comparison leaves out the partition, which is the title of the lane.
      const compared = comparedText((frame.step?.refusal?.compared ?? []).filter(([name]) => name !== "partition"));
      const alone = say("diagram.lanes.refused_error", { error });
      return compared === "" ? [alone, alone] : [say("diagram.lanes.refused", { error, compared }), say("diagram.lanes.refused_brief", { compared })];
    }
    default:
      return [say("diagram.lanes.answered_not_stored"), say("diagram.lanes.answered_not_stored")];
  }
}

function comparedText(compared: [Json, Json][]): string {
  return facts(compared.map(([name, value]) => errorText(name, value)));
}

interface TextRoom {
  x: number;
  width: number;
  middle: number;
  left: number;
  right: number;
  cross: number | null;
  narrow: boolean;
}

/**
 * The headline above the dotted path and the detail below it, where they have the most room: left of the arriving cell,
 * or right of it, before the cross or beyond it.
 */
function arrivalTexts(words: ArrivalWords, room: TextRoom): TextShape[] {
  const after = room.x + room.width + 12;
  const before = room.x - 12;
  const edge = room.cross === null ? room.right : room.cross - 14;
  const onLeft = before - room.left > edge - after && before - room.left > room.right - after - 40;
  if (onLeft) {
    const space = before - room.left;
    return textPair(words, { x: before, space }, { x: before, space }, room, "end");
  }
  const beyond = room.cross === null ? after : Math.max(after, room.cross + 16);
  const detail = room.right - beyond > edge - after ? { x: beyond, space: room.right - beyond } : { x: after, space: edge - after };
  return textPair(words, { x: after, space: room.right - after }, detail, room, "start");
}

function textPair(
  words: ArrivalWords, first: { x: number; space: number },
  second: { x: number; space: number }, room: TextRoom, anchor: "start" | "end",
): TextShape[] {
  const headline = [words.headline, words.headlineBrief, words.headlineLeast].find((one) => textWidth(one, TEXT, true) <= first.space) ?? "";
  // If neither fits, the text is left out, because the rule below the lane says the same.
  const detail = [words.detail, words.brief].find((one) => textWidth(one, TEXT) <= second.space) ?? "";
  return [
    { x: round(first.x), y: round(room.middle - 6), text: headline, anchor, style: "text strong" },
    { x: round(second.x), y: round(room.middle + 15), text: detail, anchor, style: "text ink" },
  ];
}

/** Produce requests and responses in transit that name this partition. */
function underWay({ view }: Frame, partition: string): MessageView[] {
  return Object.values(view.network?.messages ?? {}).filter((message) => message.api === "Produce" && message.partitions.includes(partition));
}

export function isUnderWay(frame: Frame, partition: string): boolean {
  return found(frame, `is under way ${partition}`, (whole) => underWay(whole, partition).length > 0);
}

/** The Produce requests in transit to this partition, in the order in which they were sent. */
function requestsUnderWay(frame: Frame, partition: string): MessageView[] {
  return found(frame, `under way ${partition}`, (whole) => underWay(whole, partition)
    .filter((message) => !message.is_response && partition in carriedBatches(message))
    .sort((one, other) => one.id - other.id));
}

/** The Produce requests in transit to this partition, as dashed cells. Null if there are none. */
export function layoutUnderWay(
  frame: Frame, partition: string, cells: Cells, options: ArrivalOptions,
): { shape: ArrivalShape; twin: string } | null {
  const messages = requestsUnderWay(frame, partition);
  const shape: ArrivalShape = {
    key: `arrival-${partition}`, fate: "under_way", cells: [], texts: [], bars: null, path: null, cross: null,
    ghost: null,
  };
  const words: string[] = [];
  let x = cells.left;
  let shown = 0;
  let until = "";
  for (const message of messages) {
    const selection = found(frame, `carried ${message.id}`, (whole) => messageSelection(whole.view, message));
    const batch = carriedBatches(message)[partition] ?? {};
    const labelled = {
      producer_id: batch["producer_id"] as Id, producer_epoch: batch["producer_epoch"] as Id,
      first_sequence: batch["base_sequence"] as Id, last_sequence: batch["last_sequence"] as Id,
      serials: selection.serials ?? [], record_count: Number(batch["record_count"] ?? 0),
    };
    const label = batchLabel(labelled, cells.common !== null && cells.common === identity(
      labelled.producer_id, labelled.producer_epoch));
    const width = cellWidth(label, null, options.unit);
    const waits = message.waits_behind !== undefined || message.held;
    const name = waits
      ? named(batchWords(labelled), say("diagram.lanes.waits", { at: message.to }))
      : say("diagram.lanes.under_way_one", { batch: batchWords(labelled), at: message.arrives_at ?? say("diagram.unknown_time") });
    words.push(name);
    if (x + width > options.right - 150 && shown > 0) continue;
    shape.cells.push({
      key: String(message.id), x: round(x), y: options.top + 4, width, height: options.cellHeight,
      hue: batchHue(frame, labelled.producer_id, labelled.producer_epoch), label, picked: isPicked(frame.selection, selection) || isMessageOfPicked(frame, message), selection, name,
    });
    shown += 1;
    until = waits ? say("diagram.lanes.waits", { at: message.to }) : say("diagram.lanes.on_its_way", { at: String(message.arrives_at ?? "?") });
    x += width + 6;
  }
  if (shown === 0) return null;
  const text = messages.length === 1
    ? until
    : shown === messages.length ? say("diagram.lanes.all_on_their_way", { count: shown })
    : say("diagram.lanes.on_their_way", { count: messages.length, more: messages.length - shown });
  const [fitting = ""] = wrapAtMost(text, options.right - x - 8, TEXT, 1);
  shape.texts = [{ x: round(x + 6), y: round(options.top + 8 + options.cellHeight / 2), text: fitting, anchor: "start",
    style: "text" }];
  return { shape, twin: words.join(" ") };
}

/**
 * The picture of the partition lanes: from a frame to shapes. Pure, no DOM.
 *
 * `lanes-plan.ts` decides how tall each lane is, and which lanes are folded. The diagram's text is made from the same
 * numbers as the shapes.
 */

import { batchesIn, foldedLog } from "../player/folded.ts";
import type { Frame, LogBatchView, PartitionView, ReplicaView, Selection, View } from "../player/frame.ts";
import { named, sentences } from "../player/joins.ts";
import { listed } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { batchWords, identity, isAbsent, range, recordsText, serialsText } from "./batch.ts";
import { hasChanged } from "./changes.ts";
import { allBroken, brokenIn, brokenRecords, isCopy } from "./broken-records.ts";
import { MARK, TEXT, clamp, round, textWidth } from "./geometry.ts";
import { batchHueInLog, isOpen } from "./instance.ts";
import { layoutArrival, layoutUnderWay } from "./lane-arrival.ts";
import { arrivedNow, landedOffsets } from "./lane-arrived.ts";
import { basesOfSerial } from "./bases-of-serial.ts";
import type { Cells, Placed } from "./lane-cells.ts";
import { layoutLost, lostNow } from "./lane-lost.ts";
import { CONTROL_WIDTH, layoutCells, withCopies, xOf } from "./lane-cells.ts";
import { brokersOf, layoutFollowers, layoutReaders, readersOf } from "./lane-readers.ts";
import type { ArrivalShape, AskShape, CellShape, FoldShape, GateShape, LaneShape, LanesShape, ReaderShape, TextShape } from "./lane-shapes.ts";
import type { LanesOptions, LogsBeside, Tier } from "./lanes-plan.ts";
import { arrivalRoom, edgeOf, LINE_HEIGHT, laneHeight, NARROW, planLanes } from "./lanes-plan.ts";
import { shownReplica } from "./shown-replica.ts";
import { isLogCase } from "./log-case.ts";
import { contentWords, isImageOfPicked } from "./log-content.ts";
import { isPicked } from "./picked.ts";
import { piece } from "./reading.ts";
import { isOfPicked } from "./transaction-picked.ts";

export type { LanesOptions } from "./lanes-plan.ts";

/** From this height on, in px, a cell has room for the records under the label. */
const TWO_LINES = 36;
/** From this height on, in px, a cell has room for the producer in small letters under the label. */
const SMALL_LINES = 28;
/** px of the sign of a difference, with space. */
const SIGN = 16;
/** px at the beginning of a cell that the lines of both gates cover. */
const GATES = 7;
/** px right of the cells for the gates. */
const BESIDE_GATES = 24;
/** The largest share of the width that an offset of an enlarged short log takes. */
const NEAR = 0.2;
/** px right of the gates for the text about what a consumer has read, in addition to its name. */
const READ_WORDS = 92;
/** px from the top of the cells up to the baseline of the gates' names. */
const GATE_TEXT = 7;

export const defaults = { width: 648, height: 464, unit: 36, focus: null, scrolled: {} };

export function layoutLanes(frame: Frame, options: LanesOptions): LanesShape {
  const partitions = frame.view.partitions ?? {};
  const names = [...frame.header.partitions.filter((name) => name in partitions)];
  for (const name of Object.keys(partitions).sort()) if (!names.includes(name)) names.push(name);
  const plan = planLanes(frame, names, options);
  const shape: LanesShape = { width: options.width, height: 0, lanes: [], folded: [], rest: null, twin: [] };
  let y = 0;
  for (const [name, tier] of plan.tiers) {
    const partition = partitions[name] as PartitionView;
    const of = [partition, y, options.width, options.scrolled[name], options.opened?.has(name) === true, apartIn(options, name), ...besideOf(options.spread?.[name]), ...Object.values(tier)];
    const { lane, twin } = piece(frame, name, of, (part) => layoutLane(part, name, partition, tier, y, options));
    shape.lanes.push(lane);
    shape.twin.push(...twin);
    y += lane.height;
  }
  for (const name of plan.lines) {
    const text = lineText(frame.view, name, partitions[name] as PartitionView);
    shape.folded.push({ partition: name, y, text, changed: hasChanged(frame, "partitions", name), differs: options.apart?.includes(name) === true });
    shape.twin.push(named(name, text));
    y += LINE_HEIGHT;
  }
  if (plan.rest.length > 0) {
    const [first = "", last = ""] = [plan.rest[0], plan.rest[plan.rest.length - 1]];
    shape.rest = { y, text: say(plan.rest.length < 3 ? "diagram.lanes.rest_named" : "diagram.lanes.rest", { count: plan.rest.length, first, last, names: listed(plan.rest) }) };
    shape.twin.push(shape.rest.text);
    y += LINE_HEIGHT;
  }
  shape.height = options.height === null || options.cropped === true ? y : Math.max(y, options.height);
  return shape;
}

function noLogText(name: string, partition: PartitionView): string {
  return say(partition.deleted ? "diagram.lanes.topic_deleted" : "diagram.lanes.no_log", { partition: name });
}

function lineText(view: View, name: string, partition: PartitionView): string {
  const id = shownReplica(partition);
  const replica = id === null ? undefined : partition.replicas[id];
  if (replica === undefined) return noLogText(name, partition);
  return say("diagram.lanes.line", {
    count: Object.keys(replica.batches).length + batchesIn(foldedLog(view, name, id)), end: replica.log_end, high_watermark: replica.high_watermark,
  });
}

/**
 * The text at the end of a lane's title. It says if numbers of batches differ in the compared run. If all cells leave
 * out the same producer, it names the producer. Else the first lane explains what a cell shows, and the others say where
 * the log ends and whether this step left it unchanged.
 */
function legendText(frame: Frame, name: string, replica: ReplicaView, cells: Cells, top: number, options: LanesOptions): string {
  if (hasOtherNumbers(options, name)) return say("diagram.lanes.numbers_apart");
  if (cells.common !== null) return say("diagram.lanes.every", { who: cells.common });
  if (top === 0) {
    const batches = Object.values(replica.batches);
    const unnumbered = batches.length > 0 && batches.every((batch) => isAbsent(batch.producer_id) && contentWords(batch) === null);
    return say(unnumbered ? "diagram.lanes.legend_plain" : "diagram.lanes.legend");
  }
  // Beside the picture of a compared run, "unchanged" would be read as "as in the other run".
  const key = options.beside === true || hasChanged(frame, "partitions", name) ? "diagram.lanes.end" : "diagram.lanes.end_unchanged";
  return say(key, { end: replica.log_end });
}

/** Whether batches of a partition have the same content in the compared run, but other numbers. */
function hasOtherNumbers({ apart = [] }: LanesOptions, partition: string): boolean {
  return apart.some((one) => one.startsWith(`${partition} #`));
}

function titleTexts(
  frame: Frame, name: string, partition: PartitionView, replica: ReplicaView, cells: Cells, tier: Tier, top: number,
  options: LanesOptions,
): TextShape[] {
  const narrow = options.width < NARROW;
  const left = edgeOf(options.width);
  const start = left + textWidth(name, TEXT, true) + 10;
  const log = isLogCase(frame);
  const leader = partition.deleted
    ? say("diagram.lanes.deleted")
    : log
      ? say("diagram.lanes.from_files")
      : partition.leader === null
        ? say("diagram.lanes.no_leader", { isr: partition.isr })
        : say("diagram.lanes.leader", { leader: `broker-${partition.leader}`, isr: partition.isr });
  const legend = legendText(frame, name, replica, cells, top, options);
  const right = options.width - (narrow ? 8 : 16);
  const y = top + tier.title - 8;
  const leaderWidth = textWidth(leader, TEXT);
  const brief = partition.leader === null ? "" : say("diagram.lanes.leader_brief", { leader: `broker-${partition.leader}` });
  const wanted = narrow && (cells.common !== null || hasOtherNumbers(options, name)) ? [legend, leader, brief] : [leader, brief];
  const first = wanted.find((words) => textWidth(words, TEXT) <= right - start) ?? "";
  const texts: TextShape[] = [{ x: round(start), y, text: first, anchor: "start", style: "text ink" }];
  if (!narrow && start + leaderWidth + 20 + textWidth(legend, MARK) <= right) {
    texts.push({ x: right, y, text: legend, anchor: "end", style: "" });
  }
  return texts;
}

function layoutLane(
  frame: Frame, name: string, partition: PartitionView, tier: Tier, top: number, options: LanesOptions,
): { lane: LaneShape; twin: string[] } {
  const narrow = options.width < NARROW;
  const id = shownReplica(partition);
  const lane: LaneShape = {
    partition: name, tier: tier.name, top, height: laneHeight(frame, name, tier), title: name, texts: [],
    titleY: top + tier.title - 8, titleWidth: round(textWidth(name, TEXT, true)), differs: options.apart?.includes(name) === true, cells: [], folds: [], gates: [], asks: [], readers: [], differences: [], differing: [], followers: [],
    arrival: null, picked: isPicked(frame.selection, { kind: "partition", id: name }),
    older: 0, newer: 0,
  };
  const replica = id === null ? undefined : partition.replicas[id];
  if (id === null || replica === undefined) {
    const text = noLogText(name, partition);
    lane.texts = [{ x: edgeOf(options.width), y: top + 40, text, anchor: "start", style: "text" }];
    return { lane, twin: [named(name, text)] };
  }
  const arrived = arrivalRoom(frame, name, tier) === 0 ? null : arrivedNow(frame, name, id);
  const left = narrow ? 20 : 46;
  const right = options.width - (narrow ? 8 : 12);
  const duplicated = brokenRecords(frame, "duplicated");
  const words = narrow ? 62 : clamp(options.width * 0.2, 100, 150);
  const isScrolled = (options.scrolled[name] ?? 0) > 0;
  const pair = options.spread?.[name];
  const readers = pair?.readers ?? readersOf(frame, name).map(([reader]) => reader);
  const cells = layoutCells(replica.batches, {
    left,
    room: right - left - words,
    further: narrow ? 0 : words - BESIDE_GATES,
    open: options.opened?.has(name) === true,
    sought: isScrolled ? [] : soughtIn(frame, name, replica, options.apart ?? []),
    copiesOf: (batch) => copiesOf(batch, replica, duplicated),
    isLow: tier.cell < TWO_LINES,
    unit: narrow ? 21 : unitOf(right - left - Math.max(words, ...readers.map((reader) => textWidth(reader, MARK) + READ_WORDS)), pair, options.width),
    ...(pair === undefined ? {} : { logs: pair.logs }),
    foldWidth: narrow ? 54 : 66,
    labelSize: tier.name === "compact" ? 12 : 14,
    scrolled: Math.min(options.scrolled[name] ?? 0, Math.max(0, Object.keys(replica.batches).length - 1)),
    pinned: arrived?.at ?? selectedOffset(frame.selection, name, replica) ?? (options.scrolled[name] === undefined ? firstCopy(frame, replica) : null),
    short: narrow,
    named: options.beside === true,
    twoLines: tier.cell >= (narrow ? TWO_LINES : SMALL_LINES),
    wished: options.beside === true && narrow ? Math.max(0, ...readers.slice(0, tier.readersMost).map((reader) => textWidth(reader, MARK) - 30)) : 0,
    folded: foldedLog(frame.view, name, id),
  });
  const cellsTop = top + tier.title + arrivalRoom(frame, name, tier) + tier.gates;
  placeCells(frame, lane, name, id, replica, cells, tier, cellsTop, arrived?.fate === "duplicate" ? arrived.at : null, options.scrolled[name] ?? 0, (one) => options.apart?.includes(one) === true);
  const offsetsY = cellsTop + tier.cell;
  lane.texts.push(...offsetTexts(cells, offsetsY + 13, options.width));
  const isRefused = arrived !== null && arrived.fate !== "appended"; // If a batch was refused, the box above the end of the log already shows that it is empty.
  if (cells.count === 0 && !isRefused) {
    lane.texts.push({ x: left + 16, y: cellsTop + tier.cell / 2 + 4, text: say("diagram.lanes.empty"), anchor: "start", style: "text" });
  }
  const rowsTop = offsetsY + tier.offsets;
  const names = new Map(lane.cells.filter((cell) => !cell.twice).map((cell) => [cell.key, cell.name]));
  const twin = [laneTwin(frame, name, partition, replica, cells, names)];
  const arrival = { top: top + tier.title, cellHeight: tier.arrivalCell, cellsTop, cellsHeight: tier.cell, right,
    narrow, unit: narrow ? 21 : 36 };
  const lost = arrived === null ? lostNow(frame, name) : null;
  const coming = arrivalRoom(frame, name, tier) === 0 ? null
    : arrived !== null ? layoutArrival(frame, name, arrived, replica, cells, arrival)
    : lost !== null ? layoutLost(frame, name, lost, cells, arrival)
    : layoutUnderWay(frame, name, cells, arrival);
  if (coming !== null) {
    lane.arrival = coming.shape;
    twin.push(coming.twin);
  }
  const bottom = placeBelow(frame, lane, partition, id, replica, cells, tier, rowsTop, right, twin, options.beside === true);
  lane.gates = gates(replica, cells, cellsTop, bottom, tier);
  lane.texts.push(...titleTexts(frame, name, partition, replica, cells, tier, top, options));
  const gateNames = gateTexts(replica, cells, cellsTop, lane.arrival, right);
  lane.texts.push(...gateNames);
  lane.asks = [...asksOfGate(name, gateNames[0]), ...asksOfReaders(name, lane.readers)];
  return { lane, twin };
}

/**
 * The content of the two compared logs on which the layout of a lane depends, for `piece`; empty without comparison.
 */
function besideOf(pair: LogsBeside | undefined): unknown[] {
  return pair === undefined ? [] : [pair.records, pair.markers, pair.readers.join(" "), ...pair.logs];
}

/**
 * px per offset, so that about thirteen offsets fit in a lane. Beside the picture of a compared run, short logs are
 * enlarged, in both pictures by the same factor.
 */
function unitOf(room: number, pair: LogsBeside | undefined, width: number): number {
  const usual = clamp((width - 180) / 13, 24, 48);
  if (pair === undefined) return usual;
  const { records, markers } = pair;
  return clamp((room - markers * CONTROL_WIDTH) / Math.max(records, 1), usual, width * NEAR);
}

/** Adds followers and consumers to a lane; returns the y at which the lane's gates end. */
function placeBelow(
  frame: Frame, lane: LaneShape, partition: PartitionView, id: string, replica: ReplicaView, cells: Cells, tier: Tier,
  rowsTop: number, right: number, twin: string[], isBeside: boolean,
): number {
  let y = rowsTop;
  if (tier.followers > 0 && brokersOf(frame).length > 1) {
    const followers = layoutFollowers(frame, partition, id, cells, y, right);
    lane.followers = followers.marks;
    lane.texts.push(...followers.texts);
    twin.push(...followers.twin);
    y += tier.followers;
  }
  const readers = layoutReaders(frame, lane.partition, replica, cells, {
    top: y, rowHeight: tier.reader, right, most: tier.readersMost, isSmall: isBeside,
    marked: lane.cells.filter((cell) => cell.picked).map(({ x, width }) => ({ x, width })),
  });
  lane.readers = readers.readers;
  lane.differences = readers.differences;
  for (const reader of readers.readers) lane.texts.push(...reader.texts.splice(0));
  twin.push(...readers.twin);
  if (readers.left !== null && tier.readersMost > 0) {
    lane.texts.push({ x: right, y: y + 10, text: readers.left, anchor: "end", style: "" });
  }
  return y + readers.readers.length * tier.reader;
}

/** The offset of the selected batch or record in this log, which stays visible; null: none is. */
function selectedOffset(selection: Selection | null, partition: string, replica: ReplicaView): number | null {
  if (selection === null || selection.partition !== partition) return null;
  if (selection.kind === "batch" && selection.id.startsWith(`${partition}/`)) {
    const offset = Number(selection.id.slice(partition.length + 1));
    if (Number.isFinite(offset)) return offset;
  }
  const serial = selection.serials?.[0];
  return serial === undefined ? null : basesOfSerial(replica.batches, serial)[0] ?? null;
}

/** The log is searched for at most so many of the records that broke a guarantee. */
const LOOKED_FOR = 20;

/**
 * The base offset of the batch with the first copy of a record that is stored twice. It stays visible so that the
 * reader sees what the second copy repeats. Null if no record is stored twice.
 */
function firstCopy(frame: Frame, { batches }: ReplicaView): number | null {
  for (const serial of [...brokenRecords(frame, "duplicated")].slice(0, LOOKED_FOR)) {
    const [base] = basesOfSerial(batches, serial);
    if (base !== undefined) return base;
  }
  return null;
}

/**
 * Base offsets of the batches that are folded last, the most important first: the first one that differs in the
 * compared run, those with records that broke a guarantee, then the others that differ.
 */
function soughtIn(frame: Frame, name: string, { batches }: ReplicaView, apart: readonly string[]): number[] {
  const serials = allBroken(frame).slice(0, LOOKED_FOR);
  const differing = apart.filter((one) => one.startsWith(`${name} `)).map((one) => Number(one.slice(name.length + 1).replace(/[|#]/, "")));
  return [...differing.slice(0, 1), ...serials.flatMap((serial) => basesOfSerial(batches, serial)), ...differing.slice(1)];
}

function placeCells(
  frame: Frame, lane: LaneShape, partition: string, replicaId: string, replica: ReplicaView, cells: Cells, tier: Tier,
  y: number, matched: number | null, scrolled: number, isApart: (name: string) => boolean,
): void {
  const landed = landedOffsets(frame, partition, replicaId);
  const duplicated = brokenRecords(frame, "duplicated");
  const isLow = tier.cell < TWO_LINES;
  // The number of batches drawn after the last fold of older ones; earlier cells were only kept visible.
  const from = cells.pieces.findLastIndex((piece) => piece.kind === "fold" && !piece.newer) + 1;
  const drawn = cells.pieces.slice(from).filter(({ kind }) => kind === "batch").length;
  for (const piece of cells.pieces) {
    if (piece.kind === "batch") {
      const cell = cellShape(frame, partition, replica, piece, tier, y, duplicated, landed, matched);
      if (isApart(`${partition} ${piece.batch.base_offset}`)) {
        const signX = signPlace(piece, offsetTexts({ ...cells, pieces: [piece] }, 0, Number.POSITIVE_INFINITY));
        lane.differing.push({ x: piece.x, y: y + tier.cell + 1, width: piece.width, height: tier.offsets - 2, signX });
      }
      if (isApart(`${partition} |${piece.batch.base_offset}`)) lane.differing.push({ x: piece.x - 3, y: y - 5, width: 6, height: tier.cell + tier.offsets + 4, signX: null });
      const who = cells.isSplit && !cell.deleted ? whoOf(piece.batch) : null;
      const both = who === null ? "" : withCopies(who, copiesOf(piece.batch, replica, duplicated));
      if (who === null) lane.cells.push(cell);
      else if (!cell.twice || isLow) lane.cells.push({ ...cell, below: who, isWho: true });
      else lane.cells.push(textWidth(both, MARK, true) <= piece.width - 4 ? { ...cell, below: both } : cell);
      continue;
    }
    if (piece.newer) lane.newer = piece.batches;
    else lane.older += piece.batches;
    const after = Object.keys(replica.batches).filter((base) => Number(base) > piece.last).length;
    const twice = duplicated.size === 0 ? 0 : Object.values(replica.batches).filter(({ base_offset: base }) => base >= piece.first && base <= piece.last)
      .reduce((sum, batch) => sum + batch.serials.filter((serial) => duplicated.has(serial) && isCopy(serial, batch, replica.batches)).length, 0);
    lane.folds.push({ ...foldShape(piece, twice, y, tier.cell, piece.newer ? Math.max(0, scrolled - drawn) : after), opens: cells.opens });
  }
}

/**
 * The names of a partition, of its batches that differ in the compared run, of the offsets at which a batch begins in
 * one run only, and of batches with other numbers (`t-0`, `t-0 43`, `t-0 |43`, `t-0 #43`), joined by commas.
 */
function apartIn({ apart = [] }: LanesOptions, partition: string): string {
  return apart.filter((name) => name === partition || name.startsWith(`${partition} `)).join();
}

/** The producer, for a cell whose label has only the sequence numbers; null for a marker. */
function whoOf(batch: LogBatchView): string | null {
  return batch.control !== null ? null : identity(batch.producer_id, batch.producer_epoch);
}

function foldShape(piece: Extract<Cells["pieces"][number], { kind: "fold" }>, twice: number, y: number, height: number, to: number): Omit<FoldShape, "opens"> {
  const count = piece.last - piece.first + 1;
  const whole = say("diagram.lanes.fold_count", { count });
  return {
    ...piece,
    y,
    height,
    lines: [textWidth(whole, MARK) <= piece.width - 4 ? whole : say("diagram.lanes.fold_least", { count }), twice === 0 ? say("diagram.lanes.folded") : say("diagram.lanes.fold_twice", { count: twice })],
    twice: twice > 0,
    name: sentences([say("diagram.lanes.fold_name", { offsets: range(piece.first, piece.last), count, batches: piece.batches }), ...(twice > 0 ? [say("diagram.lanes.twice_name")] : [])]),
    to,
  };
}

function cellShape(
  frame: Frame, partition: string, replica: ReplicaView, piece: Placed, tier: Tier, y: number,
  duplicated: ReadonlySet<number>, landed: readonly number[], matched: number | null,
): CellShape {
  const batch = piece.batch;
  const copies = copiesOf(batch, replica, duplicated);
  const twice = copies > 1;
  const broken = brokenIn(frame, batch, replica.batches).map(({ guarantee }) => guarantee);
  const selection: Selection = {
    kind: "batch", id: `${partition}/${batch.base_offset}`, partition, serials: [...batch.serials],
  };
  const outcome = batch.outcome;
  return {
    key: `${partition}/${batch.base_offset}`,
    x: round(piece.x + 1), y, width: round(piece.width - 2), height: tier.cell,
    hue: batchHueInLog(frame, batch),
    pending: batch.base_offset >= replica.high_watermark || isOpen(batch),
    aborted: outcome === "aborted",
    deleted: isDeleted(batch, replica),
    twice,
    broken: broken.some((guarantee) => guarantee !== "reordered"),
    late: broken.includes("reordered"),
    landed: landed.includes(batch.base_offset),
    matched: matched === batch.base_offset,
    picked: isPicked(frame.selection, selection) || (isInTransaction(batch) && isOfPicked(frame, { producer: batch.producer_id })) || isImageOfPicked(frame, batch),
    control: batch.control,
    label: batch.control !== null ? controlLetter(batch.control) : piece.label,
    labelSmall: tier.name === "compact",
    below: isDeleted(batch, replica) ? deletedLine(piece, tier) : secondLine(batch, piece, tier, copies),
    name: cellName(batch, replica, twice, broken.filter((guarantee) => guarantee !== "duplicated")),
    selection,
  };
}

function isInTransaction(batch: LogBatchView): boolean {
  return batch.transactional || batch.control !== null;
}

/** Whether a batch lies before the log's start: it is deleted, even if its segment still holds it. */
function isDeleted(batch: LogBatchView, replica: ReplicaView): boolean {
  return batch.last_offset < replica.log_start;
}

/**
 * How many batches of the log hold the same record as this batch, for its record with the most copies: at least 2 if
 * the engine's judges count one of its records as duplicate, else 1.
 */
function copiesOf({ serials }: LogBatchView, { batches }: ReplicaView, duplicated: ReadonlySet<number>): number {
  const again = serials.filter((serial) => duplicated.has(serial));
  if (again.length === 0) return 1;
  // At least two: the log may have been truncated since, or the view may lack the other copy.
  return Math.max(2, ...again.slice(0, LOOKED_FOR).map((serial) => Object.values(batches).filter((other) => other.serials.includes(serial)).length));
}

function controlLetter(control: string): string {
  return control.charAt(0).toUpperCase();
}

/**
 * The text of a cell's second line: how often its records are stored, if more than once; else its records, if they fit.
 * For a marker, its coordinator epoch. Null if there is no such text, or the cell is too low for a second line.
 */
function secondLine(batch: LogBatchView, piece: Placed, tier: Tier, copies: number): string | null {
  // Epoch 0 of the first coordinator is not shown; the cell's name explains `ce`.
  if (batch.control !== null) return tier.cell < TWO_LINES || batch.coordinator_epoch < 1 ? null : `ce ${batch.coordinator_epoch}`;
  const records = contentWords(batch)?.whose ?? serialsText(batch.serials);
  if (copies > 1 && tier.cell >= TWO_LINES) {
    const whole = say("diagram.lanes.twice", { records });
    const short = say("diagram.lanes.twice_short");
    return [whole, short].find((said) => textWidth(said, MARK, true) <= piece.width - 6) ?? say("diagram.lanes.twice_count", { copies });
  }
  if (tier.cell < TWO_LINES || records === "" || piece.label === records) return null;
  return textWidth(records, MARK) <= piece.width - 6 ? records : null;
}

function deletedLine(piece: Placed, tier: Tier): string | null {
  const word = say("diagram.lanes.deleted_cell");
  return piece.batch.control !== null || tier.cell < TWO_LINES || textWidth(word, MARK) > piece.width - 6 ? null : word;
}

function cellName(batch: LogBatchView, replica: ReplicaView, twice: boolean, broken: readonly string[] = []): string {
  const offsets = range(batch.base_offset, batch.last_offset);
  if (batch.control !== null) {
    return say("diagram.lanes.marker_name", {
      offsets, control: batch.control, producer_id: batch.producer_id as number,
      coordinator_epoch: batch.coordinator_epoch,
    });
  }
  const content = contentWords(batch);
  const parts = [content === null
    ? say("diagram.lanes.cell_name", { offsets, batch: batchWords(batch), records: recordsText(batch) })
    : say("diagram.lanes.content_name", { offsets, whose: content.whose, what: content.what })];
  if (batch.base_offset >= replica.high_watermark) parts.push(say("diagram.lanes.not_replicated"));
  if (isDeleted(batch, replica)) parts.push(say("diagram.lanes.deleted_name"));
  if (batch.outcome === "ended") parts.push(say("diagram.lanes.ended_unknown"));
  if (twice) parts.push(say("diagram.lanes.twice_name"));
  for (const guarantee of broken) parts.push(say("diagram.lanes.broken_name", { guarantee: say(`player.guarantee.${guarantee}`) }));
  return sentences(parts);
}

/** The offsets under the cells: of a batch each one if there is room, else the first and the last. */
function offsetTexts(cells: Cells, y: number, edge: number): TextShape[] {
  const texts: TextShape[] = [];
  for (const piece of cells.pieces) {
    if (piece.kind === "fold") continue;
    const { base_offset: first, last_offset: last } = piece.batch;
    const count = last - first + 1;
    const step = piece.width / count;
    const wide = textWidth(String(last), MARK) + 6;
    for (let offset = first; offset <= last; offset++) {
      const ends = offset === first || offset === last;
      if (step < wide && !ends) {
        offset = Math.max(offset, last - 1);
        continue;
      }
      if (step < wide && offset === last && count > 1 && piece.width < 2 * wide) continue;
      const x = round(piece.x + step * (offset - first + 0.5));
      const shown = step < wide ? clamp(x, piece.x + wide / 2, piece.x + piece.width - wide / 2) : x;
      texts.push({ x: round(Math.min(shown, edge)), y, text: String(offset), anchor: "middle", style: "digits" });
    }
  }
  return texts;
}

/** The x at which the sign of a difference has room between or beside the offsets of a batch; null if it has none. */
function signPlace({ x, width }: Placed, offsets: readonly TextShape[]): number | null {
  const taken = offsets.map(({ x: middle, text }) => ({ from: middle - textWidth(text, MARK) / 2, to: middle + textWidth(text, MARK) / 2 }));
  const edges = [x + GATES, ...taken.flatMap(({ from, to }) => [from, to]), x + width];
  for (let index = 0; index < edges.length; index += 2) {
    const [from = 0, to = 0] = [edges[index], edges[index + 1]];
    if (to - from >= SIGN) return round((from + to) / 2);
  }
  return null;
}

function gates(replica: ReplicaView, cells: Cells, top: number, bottom: number, tier: Tier): GateShape[] {
  const found: GateShape[] = [];
  const height = (above: number, below: number): number => round(below - top + above);
  const low = Math.max(bottom, top + tier.cell + tier.offsets - 2);
  found.push({
    kind: "start", x: round(xOf(cells, replica.log_start) - 7), y: top - 4, width: 3, height: tier.cell + 14,
  });
  const stable = xOf(cells, replica.last_stable_offset);
  const high = xOf(cells, replica.high_watermark);
  found.push({ kind: "last_stable_offset", x: round(stable - 1), y: top - 14, width: 4, height: height(14, low) });
  found.push({ kind: "high_watermark", x: round(high + (high === stable ? 5 : 0)), y: top - 14, width: 1.5,
    height: height(14, low) });
  return found;
}

/** The button on the name of the last stable offset, which asks why it is there. */
function asksOfGate(partition: string, text: TextShape | undefined): AskShape[] {
  if (text === undefined) return [];
  const width = round(textWidth(text.text, MARK, true) + 6);
  const x = round(text.anchor === "end" ? text.x - width + 3 : text.x - 3);
  return [{ question: "lso", subject: partition, name: say("player.why.gate", { partition }), x, y: text.y - 13, width, height: 18 }];
}

/**
 * The buttons on the ranges that a consumer has not received, which ask why; a click elsewhere on its row selects the
 * consumer.
 */
function asksOfReaders(partition: string, readers: readonly ReaderShape[]): AskShape[] {
  return readers.flatMap((reader) => reader.spans.filter((span) => span.fate !== "delivered").map((span): AskShape => ({
    question: "unseen",
    subject: `${reader.name}/${partition}/${span.first}`,
    name: say("player.why.seen", { consumer: reader.name, offsets: range(span.first, span.last) }),
    x: span.x, y: reader.y - 8, width: Math.max(6, span.width), height: 16,
  })));
}

/**
 * The vertical lines that run through the row of the gates' names: the cross, the arrow and the bars of an equals sign
 * of the arriving batch. `at`: its x; `off`: the px that names keep from it. `off` is negative for an arrow: a name has
 * a halo and is narrower than estimated, so the thin line may stand within its estimated width.
 */
function uprights(arrival: ArrivalShape | null): { at: number; off: number }[] {
  if (arrival === null) return [];
  const arrow = /^M([\d.]+) [\d.]+V/.exec(arrival.path ?? "")?.[1];
  const cross = arrival.fate === "lost" || arrival.cross === null ? [] : [arrival.cross.x];
  return [...[...cross, ...(arrival.bars?.x ?? [])].map((at) => ({ at, off: 8 })), ...(arrow === undefined ? [] : [{ at: Number(arrow), off: -6 }])];
}

/** The texts at the gates: `LSO 53 = HW 53` or one name at each, and the name of the log's start. None overlap. */
function gateTexts(
  replica: ReplicaView, cells: Cells, top: number, arrival: ArrivalShape | null, right: number,
): TextShape[] {
  const upright = uprights(arrival);
  const { last_stable_offset: stable, high_watermark: high, log_start: start } = replica;
  const place = (offset: number, text: string, avoid: [number, number] | null): TextShape & { span: [number, number] } => {
    const x = xOf(cells, offset);
    const width = textWidth(text, MARK, true);
    const free = (from: number): boolean =>
      from >= 2 && from + width <= right && (avoid === null || from + width + 6 <= avoid[0] || from >= avoid[1] + 6);
    const inTheWay = (from: number): number[] => upright.filter(({ at, off }) => at > from - off && at < from + width + off).map(({ at }) => at);
    const before = x - 6 - width;
    // The name is 3 px nearer to its gate if this keeps it left of an arrow.
    const after = inTheWay(x + 10).length > 0 && inTheWay(x + 7).length === 0 ? x + 7 : x + 10;
    // If an arrow or cross is in the way on both sides, the name stands right of it.
    const beyond = Math.max(after, ...inTheWay(after).map((at) => at + 16));
    const isLeft = free(before) && (inTheWay(before).length === 0 || !free(beyond));
    const from = isLeft ? before : free(beyond) || avoid === null ? beyond : Math.max(x, avoid[1]) + 6;
    return { x: round(isLeft ? x - 6 : from), y: top - GATE_TEXT, text, anchor: isLeft ? "end" : "start", style: "strong digits halo",
      span: [from, from + width] };
  };
  const texts: TextShape[] = [];
  if (stable === high) {
    texts.push(place(stable, say("diagram.lanes.gate_both", { offset: stable }), null));
  } else {
    const first = place(stable, say("diagram.lanes.gate_lso", { offset: stable }), null);
    texts.push(first, place(high, say("diagram.lanes.gate_hw", { offset: high }), first.span));
  }
  const isFree = (text: TextShape): boolean => {
    const width = textWidth(text.text, MARK);
    return text.y !== top - GATE_TEXT || texts.every((other) => {
      const taken = textWidth(other.text, MARK, true);
      const from = other.anchor === "end" ? other.x - taken : other.x;
      return text.x + 6 <= from || text.x - width >= from + taken + 6;
    });
  };
  texts.push(...startTexts(cells, start, top).filter(isFree));
  return cells.left > 30 ? texts : texts.filter((text) => text.y === top - GATE_TEXT);
}

/** The name `log start` beside its bar: left of the first cell or, if a part of the log is deleted, above the cells. */
function startTexts(cells: Cells, start: number, top: number): TextShape[] {
  const x = xOf(cells, start);
  if (x > cells.left) {
    return [{ x: round(x - 9), y: top - GATE_TEXT, text: say("diagram.lanes.log_start"), anchor: "end", style: "halo" }];
  }
  const left = round(Math.max(30, x - 10));
  return [
    { x: left, y: top + 26, text: say("diagram.lanes.log"), anchor: "end", style: "" },
    { x: left, y: top + 38, text: say("diagram.lanes.start"), anchor: "end", style: "" },
  ];
}

/**
 * The text of a lane for the diagram's text. `names`: key of a cell → its name, for cells whose name was made already.
 */
function laneTwin(
  frame: Frame, name: string, partition: PartitionView, replica: ReplicaView, cells: Cells, names: ReadonlyMap<string, string>,
): string {
  const parts = cells.pieces.map((piece) =>
    piece.kind === "fold"
      ? say("diagram.lanes.fold_name", {
          offsets: range(piece.first, piece.last), count: piece.last - piece.first + 1, batches: piece.batches,
        })
      : names.get(`${name}/${piece.batch.base_offset}`) ?? cellName(piece.batch, replica, false),
  );
  const leader = partition.leader === null ? say("diagram.lanes.leader_none") : `broker-${partition.leader}`;
  const gatesText = say("diagram.lanes.gates_twin", {
    last_stable_offset: replica.last_stable_offset, high_watermark: replica.high_watermark, log_end: replica.log_end,
    log_start: replica.log_start,
  });
  const body = parts.length === 0 ? say("diagram.lanes.empty") : sentences(parts);
  // Files do not show which broker is the leader.
  const head = isLogCase(frame) ? say("diagram.lanes.twin_files", { partition: name }) : say("diagram.lanes.twin", { partition: name, leader, isr: partition.isr });
  return sentences([head, body, gatesText]);
}

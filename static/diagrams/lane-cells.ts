/**
 * Which batches of a log fit into a lane, and the x of each offset. Pure.
 *
 * A lane has room for about thirteen offsets. Batches that do not fit are folded, and the fold says how many they are.
 * So the layout of a log of 20,000 batches needs one pass over its base offsets, and then looks only at visible
 * batches. An old batch stays visible if the step is about it; batches that broke a guarantee or differ in the compared
 * run stay visible as far as they fit. The folds are then between these batches and the newest ones.
 */

import { batchesIn } from "../player/folded.ts";
import type { FoldedLog, LogBatchView } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { batchLabel, identity, serialsText } from "./batch.ts";
import { MARK, round, textWidth } from "./geometry.ts";
import { contentWords } from "./log-content.ts";

export interface Fold {
  kind: "fold";
  x: number;
  width: number;
  /** First and last offset in the fold. */
  first: number;
  last: number;
  batches: number;
  /** Whether the fold is at the right edge, because the reader scrolled back. */
  newer: boolean;
}

export interface Placed {
  kind: "batch";
  x: number;
  width: number;
  batch: LogBatchView;
  label: string;
}

export type Piece = Fold | Placed;

export interface Cells {
  pieces: Piece[];
  /** x of the beginning and of the end of the cells. */
  left: number;
  right: number;
  /** `PID·epoch`, if all visible batches have the same one and their labels leave it out; else null. */
  common: string | null;
  /** Whether the cells have the producer on a second line, because it does not fit into the label. */
  isSplit: boolean;
  /** Whether a press on a fold shows every batch in narrow cells, most of them without a label. */
  opens: boolean;
  count: number;
}

export interface CellOptions {
  left: number;
  /** px for cells. */
  room: number;
  /** px per offset. */
  unit: number;
  foldWidth: number;
  labelSize: number;
  /** The number of batches hidden at the right edge because the reader scrolled back. */
  scrolled: number;
  /** Base offset of the batch that must stay visible; null: none. */
  pinned: number | null;
  /** Base offsets of the batches that are drawn first if not all fit, the most important first. */
  sought?: readonly number[];
  short: boolean;
  /** Whether the producer may stand on a second line if batches would be folded otherwise. */
  twoLines?: boolean;
  /** Whether cells with the producer on a second line have their records, not their sequences, on the first. */
  named?: boolean;
  /** px of `room` that stay free for texts beside the cells, unless a batch would have to be folded for this. */
  wished?: number;
  /** px beyond `room` that belong to texts; the cells take them before a batch is folded. */
  further?: number;
  /** How often the log has the records of a batch; missing: once. */
  copiesOf?: (batch: LogBatchView) => number;
  /** Whether the cells are too low for a second line; the label then also says how often the records are stored. */
  isLow?: boolean;
  /** Whether the reader opened a fold. */
  open?: boolean;
  /** Batches that the view does not list; missing: none. */
  folded?: FoldedLog;
  /** The logs of this partition in two compared runs, which are drawn on one scale; missing: only this one. */
  logs?: readonly Log[];
  /** Offset → its width in px, the same in both `logs`; null if the logs are too long to be drawn whole. */
  slots?: ReadonlyMap<number, number> | null;
}

/** Base offset → batch. */
export type Log = Readonly<Record<string, LogBatchView>>;

const known = new WeakMap<Record<string, LogBatchView>, number[]>();

/**
 * The base offsets of the batches, ascending. Views are never mutated, so the list is computed once for each object.
 */
export function baseOffsets(batches: Record<string, LogBatchView>): number[] {
  let bases = known.get(batches);
  if (bases === undefined) {
    bases = Object.keys(batches).map(Number);
    for (let index = 1; index < bases.length; index++) {
      if ((bases[index - 1] as number) > (bases[index] as number)) {
        bases.sort((one, other) => one - other);
        break;
      }
    }
    known.set(batches, bases);
  }
  return bases;
}

/** Index of the batch that holds `offset`; −1 if none does. */
export function indexOfOffset(batches: Record<string, LogBatchView>, offset: number): number {
  const bases = baseOffsets(batches);
  let low = 0;
  let high = bases.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if ((bases[middle] as number) <= offset) low = middle + 1;
    else high = middle - 1;
  }
  const batch = high < 0 ? undefined : batches[String(bases[high])];
  return batch !== undefined && offset <= batch.last_offset ? high : -1;
}

/** `CONTROL_WIDTH`: px of a marker's cell. `OFFSETS_MOST`: the most offsets that widen the cell of a batch. */
export const CONTROL_WIDTH = 40;
export const OFFSETS_MOST = 4;
/** px of a marker's flag with its edges. */
const FLAG = 30;
const PADDING = 14;
/** The least px of a cell: enough for a cell with one record to say that the record is stored twice. */
const LEAST = 40;

function widthOf(batch: LogBatchView, options: CellOptions, short: boolean): number {
  const { slots, logs = [] } = options;
  if (slots != null) return offsetsOf(batch).reduce((sum, offset) => sum + (slots.get(offset) ?? 0), 0);
  // If the compared logs do not fit whole, a batch that both have gets the same width in both.
  const alike = logs.flatMap((log) => {
    const one = log[String(batch.base_offset)];
    return one === undefined || one === batch || one.last_offset !== batch.last_offset ? [] : [ownWidth(one, { ...options, copiesOf: copiesIn(log) }, short)];
  });
  return Math.max(ownWidth(batch, options, short), ...alike);
}

/** A function from a batch to the number of batches of `log` that hold its first record. */
function copiesIn(log: Log): (batch: LogBatchView) => number {
  return ({ serials: [serial] }) => (serial === undefined ? 1 : Object.values(log).filter(({ serials }) => serials.includes(serial)).length);
}

function offsetsOf({ base_offset: first, last_offset: last }: LogBatchView): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/**
 * Offset → px that the offset takes in both logs: the width that the wider of its two cells needs. Null if one of the
 * logs is too long to be drawn whole.
 */
function slotsOf(logs: readonly Log[], options: CellOptions, short: boolean): Map<number, number> | null {
  const slots = new Map<number, number>();
  for (const log of logs) {
    const batches = Object.values(log);
    if (batches.length * LEAST > options.room) return null;
    const copiesOf = copiesIn(log);
    for (const batch of batches) {
      const offsets = offsetsOf(batch);
      const each = ownWidth(batch, { ...options, copiesOf }, short) / offsets.length;
      for (const offset of offsets) slots.set(offset, Math.max(slots.get(offset) ?? 0, each));
    }
  }
  return slots;
}

function ownWidth(batch: LogBatchView, options: CellOptions, short: boolean): number {
  if (batch.control !== null) return CONTROL_WIDTH;
  const label = textWidth(labelOf(batch, short, options), options.labelSize, true) + PADDING;
  const who = options.twoLines === true && short ? identity(batch.producer_id, batch.producer_epoch) : null;
  const second = who === null ? 0 : textWidth(withCopies(who, options.isLow === true ? 1 : options.copiesOf?.(batch) ?? 1), MARK, true) + 8;
  const offsets = Math.min(batch.last_offset - batch.base_offset + 1, OFFSETS_MOST) * options.unit;
  return Math.max(offsets, label, second, LEAST);
}

function labelOf(batch: LogBatchView, short: boolean, { isLow = false, copiesOf = () => 1, named = false, twoLines = false }: CellOptions): string {
  if (named && twoLines && short && batch.serials.length > 0) return isLow ? withCopies(serialsText(batch.serials), copiesOf(batch)) : serialsText(batch.serials);
  const copies = isLow ? copiesOf(batch) : 1;
  return contentWords(batch)?.what ?? (copies > 1 ? withCopies(batchLabel(batch, true), copies) : batchLabel(batch, short));
}

/** The label, with the number of copies if there are several: `1–2 ×2`. */
export function withCopies(label: string, copies: number): string {
  return copies > 1 ? say("diagram.lanes.twice_label", { label, copies }) : label;
}

/** Factors for the px per offset. They are tried in this order; only then is a batch folded. */
const SHRINK = [1, 0.85, 0.7, 0.55];

/**
 * Places the visible batches of a replica, the newest at the right. If not all fit, the cells first get narrower. Then
 * the labels leave out `PID·epoch` if it is the same for all, or else put it on a second line. Then the cells take the
 * room of the texts beside them. Only then are older batches folded.
 */
export function layoutCells(batches: Record<string, LogBatchView>, { twoLines = false, wished = 0, further = 0, open = false, ...options }: CellOptions): Cells {
  const bases = baseOffsets(batches);
  const rooms = [options.room - wished, options.room, options.room + further];
  for (const room of new Set(rooms)) {
    const fitted = unfolded(batches, bases, { ...options, room }, twoLines);
    if (fitted !== null) return fitted;
  }
  const all = options.scrolled > 0 ? null : everyBatch(batches, bases, { ...options, room: options.room + further });
  if (open && all !== null) return all;
  return { ...withFolds(batches, bases, { ...options, room: options.room + further }, twoLines), opens: all !== null };
}

/** For a lane whose fold the reader opened: the px beside the offset in each cell, and the most batches it may have. */
const OPENED = { padding: 8, most: 40 };

/**
 * All batches, in cells that may have no label. Null if even these do not fit, if there are more than `OPENED.most`, or
 * if the view leaves batches out.
 */
function everyBatch(batches: Record<string, LogBatchView>, bases: number[], options: CellOptions): Cells | null {
  if (bases.length > OPENED.most || (options.folded ?? []).length > 0) return null;
  const all = bases.map((base) => batches[String(base)] as LogBatchView);
  const least = all.map(({ last_offset: last, control }) => Math.max(textWidth(String(last), MARK) + OPENED.padding, control === null ? 0 : FLAG));
  const wanted = all.map((batch, index) => Math.max(least[index] ?? 0, widthOf(batch, { ...options, unit: options.unit * 0.55 }, true)));
  const sum = (widths: readonly number[]): number => widths.reduce((one, other) => one + other, 0);
  if (sum(least) > options.room) return null;
  const share = Math.min(1, (options.room - sum(least)) / Math.max(1, sum(wanted) - sum(least)));
  const pieces = all.map((batch, index): Placed => {
    const width = (least[index] ?? 0) + ((wanted[index] ?? 0) - (least[index] ?? 0)) * share;
    const label = labelOf(batch, true, options);
    return { kind: "batch", x: 0, width, batch, label: batch.control ?? (textWidth(label, options.labelSize, true) + 6 <= width ? label : "") };
  });
  return finish(pieces, options, bases, commonIdentity(pieces));
}

/** The cells if no batch is folded; null if those of this log, or of the same log in the compared run, do not fit. */
function unfolded(batches: Record<string, LogBatchView>, bases: number[], options: CellOptions, twoLines: boolean): Cells | null {
  const labels = options.short ? [true, false] : [false, true];
  for (const short of labels) {
    for (const share of SHRINK) {
      const pieces = whole(batches, bases, { ...options, unit: options.unit * share }, short);
      if (pieces === null) continue;
      const common = short ? commonIdentity(pieces) : null;
      if (!short || (common !== null && areShort(options.logs))) return finish(pieces, options, bases, common);
    }
  }
  for (const share of twoLines ? SHRINK : []) {
    const pieces = whole(batches, bases, { ...options, unit: options.unit * share, twoLines }, true);
    if (pieces !== null) return { ...finish(pieces, options, bases, null), isSplit: true };
  }
  return null;
}

/** All batches as cells with labels of one kind (`short`: without the producer); null as for `unfolded`. */
function whole(batches: Record<string, LogBatchView>, bases: number[], options: CellOptions, short: boolean): Piece[] | null {
  const { logs } = options;
  const slots = logs === undefined ? undefined : slotsOf(logs, options, short);
  if (slots === null) return null;
  const sized = { ...options, ...(slots === undefined ? {} : { slots }) };
  const isTooLong = logs?.some((log) => Object.values(log).reduce((sum, batch) => sum + widthOf(batch, sized, short), 0) > options.room) === true;
  const pieces = isTooLong ? [] : choose(batches, bases, sized, short);
  return isTooLong || pieces.some((piece) => piece.kind === "fold") ? null : pieces;
}

/** Whether the labels of all logs may leave the producer out, because each log has only one. */
function areShort(logs: readonly Log[] = []): boolean {
  return logs.every((log) => new Set(Object.values(log).filter(({ control }) => control === null).map((one) => identity(one.producer_id, one.producer_epoch))).size < 2);
}

function withFolds(batches: Record<string, LogBatchView>, bases: number[], options: CellOptions, twoLines: boolean): Cells {
  const folding = { ...options, unit: options.unit * 0.85 };
  const short = choose(batches, bases, folding, true);
  const common = commonIdentity(short);
  if (common !== null && areShort(options.logs)) return finish(short, options, bases, common);
  if (twoLines) return { ...finish(choose(batches, bases, { ...folding, twoLines }, true), options, bases, null), isSplit: true };
  return finish(choose(batches, bases, folding, false), options, bases, null);
}

function commonIdentity(pieces: Piece[]): string | null {
  let common: string | null = null;
  for (const piece of pieces) {
    if (piece.kind === "fold" || piece.batch.control !== null) continue;
    const who = identity(piece.batch.producer_id, piece.batch.producer_epoch);
    if (who === null || (common !== null && who !== common)) return null;
    common = who;
  }
  return common;
}

/**
 * The pieces of the lane, in the order of offsets. Of the batches that the reader has not scrolled past, the newest and
 * the pinned one are always drawn; then, while they fit, the sought ones, and others from the newest back. The rest is
 * in folds.
 */
function choose(
  batches: Record<string, LogBatchView>,
  bases: number[],
  options: CellOptions,
  short: boolean,
): Piece[] {
  const at = (index: number): LogBatchView => batches[String(bases[index])] as LogBatchView;
  const placed = (index: number): Placed => ({
    kind: "batch",
    x: 0,
    width: widthOf(at(index), options, short),
    batch: at(index),
    label: at(index).control ?? labelOf(at(index), short, options),
  });
  const foldOf = (from: number, to: number): Fold[] => foldBetween(from, to, bases, at, options);
  const end = Math.max(0, bases.length - options.scrolled);
  const room = options.room - (end < bases.length ? options.foldWidth : 0);
  const indexes: number[] = [];
  const costs = new Map<number, number>();
  const fits = (index: number): boolean => {
    const all = [...indexes, index].sort((one, other) => one - other);
    const folds = all.filter((one, place) => foldOf((all[place - 1] ?? -1) + 1, one - 1).length > 0).length;
    costs.set(index, placed(index).width);
    return all.reduce((sum, one) => sum + (costs.get(one) ?? 0), folds * options.foldWidth) <= room;
  };
  const take = (index: number, anyway = false): boolean => {
    if (index < 0 || index >= end || indexes.includes(index)) return true;
    if (!fits(index) && !anyway) return false;
    indexes.push(index);
    return true;
  };
  take(end - 1, true);
  if (options.pinned !== null) take(indexOfOffset(batches, options.pinned), true);
  for (const base of options.sought ?? []) take(indexOfOffset(batches, base));
  for (let index = end - 2; index >= 0; index--) {
    if (isUnlistedBetween(options.folded, bases[index] as number, bases[index + 1] as number) || !take(index)) break;
  }
  const pieces: Piece[] = [];
  let next = 0;
  for (const index of indexes.sort((one, other) => one - other)) {
    pieces.push(...foldOf(next, index - 1), placed(index));
    next = index + 1;
  }
  if (indexes.length === 0) pieces.push(...foldOf(0, end - 1));
  pieces.push(...foldOf(end, bases.length - 1).map((fold) => ({ ...fold, newer: true })));
  return pieces;
}

function isUnlistedBetween(folded: FoldedLog | undefined, before: number, after: number): boolean {
  return folded?.some(([first]) => first > before && first < after) === true;
}

/**
 * One fold for the batches from index `from` to index `to`, together with the batches between them that the view does
 * not list. Empty if there are none.
 */
function foldBetween(from: number, to: number, bases: readonly number[], at: (index: number) => LogBatchView, options: CellOptions): Fold[] {
  // The fold reaches to its neighbours left and right, or to the ends of the log.
  const after = from > 0 ? (bases[from - 1] as number) : -1;
  const before = bases[to + 1] ?? Number.POSITIVE_INFINITY;
  const unlisted = (options.folded ?? []).filter(([first, last]) => first > after && last < before);
  const [start, stop] = [unlisted[0], unlisted[unlisted.length - 1]];
  if (to < from && start === undefined) return [];
  const listed = to >= from;
  return [{
    kind: "fold", x: 0, width: options.foldWidth,
    first: Math.min(listed ? at(from).base_offset : Number.POSITIVE_INFINITY, start?.[0] ?? Number.POSITIVE_INFINITY),
    last: Math.max(listed ? at(to).last_offset : -1, stop?.[1] ?? -1),
    batches: to - from + 1 + batchesIn(unlisted), newer: false,
  }];
}

function finish(pieces: Piece[], options: CellOptions, bases: number[], common: string | null): Cells {
  let x = options.left;
  for (const piece of pieces) {
    piece.x = round(x);
    x += piece.width;
    piece.width = round(piece.width);
  }
  return {
    pieces,
    left: options.left,
    right: round(x),
    common,
    isSplit: false,
    opens: false,
    count: bases.length + batchesIn(options.folded ?? []),
  };
}

/** x of the left edge of `offset`; for an offset after the last cell, x of that cell's right edge. */
export function xOf(cells: Cells, offset: number): number {
  for (const piece of cells.pieces) {
    const first = piece.kind === "fold" ? piece.first : piece.batch.base_offset;
    const last = piece.kind === "fold" ? piece.last : piece.batch.last_offset;
    if (offset < first) return piece.x;
    if (offset <= last) return round(piece.x + (piece.width * (offset - first)) / (last - first + 1));
  }
  return cells.right;
}

/** The visible batch at a base offset; null: it is not visible. */
export function placedAt(cells: Cells, baseOffset: number): Placed | null {
  for (const piece of cells.pieces) {
    if (piece.kind === "batch" && piece.batch.base_offset === baseOffset) return piece;
  }
  return null;
}

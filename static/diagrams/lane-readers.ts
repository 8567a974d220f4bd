/**
 * Below a lane: the ends of the followers' logs, and which of the lane's records each consumer has received. Pure.
 *
 * The engine states for every offset whether a consumer has received it, or why not (docs/frame.md, Readers and
 * groups). A consumer's strip shows this for every offset: filled if it was delivered, hatched if its transaction was
 * aborted, dashed if its transaction is open, dotted if it is deleted or not replicated, a line if it was not fetched
 * yet or is a marker. Ranges in which the first two consumers differ, other than by lag, are marked between their
 * strips.
 */

import type { ReaderLaneView } from "../generated/messages.ts";
import type { ConsumerView, Frame, PartitionView, ReplicaView } from "../player/frame.ts";
import { isolationTerm } from "../player/terms.ts";
import { clauses, facts, listed, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { range } from "./batch.ts";
import { MARK, TEXT, round, textWidth, wrapAtMost } from "./geometry.ts";
import type { Cells } from "./lane-cells.ts";
import { xOf } from "./lane-cells.ts";
import type { DifferenceShape, ReaderShape, TextShape } from "./lane-shapes.ts";
import { isPicked, plainly } from "./picked.ts";
import { found } from "./reading.ts";

/** px from the middle of a consumer's strip to the end of its row. */
const STRIP_FOOT = 6;
/** px from the middle of a strip up to the words above it. */
const ABOVE_STRIP = 7;
/** px: a consumer's row that is lower has no room for a name above its strip. */
const NAMED_ROW = 20;
/** The most reasons and ranges shown in a lane; the text of the diagram has all of them. */
const REASONS_MOST = 3;

/** First and last offset of a range, and its fate for the consumer. */
export type Stretch = [first: number, last: number, fate: string];

/** Fates that make no difference to a consumer that received the record: this one has it, too, or is only behind. */
const COMING = new Set(["not_fetched", "not_replicated", "delivered", "control"]);

/** The part of a consumer that its row shows. */
export type Reader = Pick<ConsumerView, "isolation" | "positions" | "delivered" | "lanes">;

/** The fate of each range of offsets of a lane for a consumer, oldest first. */
export function stretchesOf(lane: ReaderLaneView | undefined): Stretch[] {
  return lane === undefined ? [] : [...(lane.stretches ?? []), ...(lane.ahead ?? [])];
}

/**
 * In words, how many records the consumer has read, and which offsets it does not have, and why: `13 read, none
 * hidden`. `most`: the most ranges that are named for one reason. Markers are not mentioned, because no consumer
 * receives them.
 */
export function readerFact(consumer: Reader, partition: string, most = Number.POSITIVE_INFINITY): string {
  const read = consumer.lanes?.[partition]?.read ?? consumer.delivered[partition]?.length ?? 0;
  const byFate = new Map<string, (readonly [first: number, last: number])[]>();
  for (const [first, last, fate] of stretchesOf(consumer.lanes?.[partition])) {
    if (fate === "delivered" || fate === "control") continue;
    byFate.set(fate, [...(byFate.get(fate) ?? []), [first, last]]);
  }
  if (byFate.size === 0) return say("diagram.lanes.read_all", { read });
  const reasons = [...byFate].map(([fate, ranges]) => {
    const more = ranges.length - most;
    const shown = listed(ranges.slice(0, most).map(([first, last]) => range(first, last)));
    const isOne = ranges.length === 1 && ranges.every(([first, last]) => first === last);
    const offsets = more > 0 ? `${shown} ${say("diagram.and_more", { count: more })}` : shown;
    return say(`diagram.hidden.${fate}`, { offsets: say(isOne ? "diagram.lanes.offset" : "diagram.lanes.offsets", { offsets }) });
  });
  return say("diagram.lanes.read_some", { read, reasons: clauses(reasons) });
}

interface Facts {
  whole: string;
  /** Only how many records the consumer has read, in words. */
  brief: string;
  /** The number of records that it has read, in the fewest words. */
  least: string;
}

function factsOf(consumer: Reader, partition: string): Facts {
  const read = consumer.lanes?.[partition]?.read ?? consumer.delivered[partition]?.length ?? 0;
  return { whole: readerFact(consumer, partition, REASONS_MOST), brief: say("diagram.lanes.read_count", { read }), least: say("diagram.lanes.read_least", { read }) };
}

/**
 * The ranges of offsets, ascending, that one of two consumers has received and the other has not, for another reason
 * than lag: it skipped them, for example, or waits for the end of their transaction.
 */
export function differences(one: readonly Stretch[], other: readonly Stretch[]): [number, number][] {
  const found: [number, number][] = [];
  const add = (first: number, last: number): void => {
    const before = found[found.length - 1];
    if (before !== undefined && before[1] + 1 === first) before[1] = last;
    else found.push([first, last]);
  };
  for (const [first, last, fate] of one) {
    for (const [from, until, otherFate] of other) {
      const [low, high] = [Math.max(first, from), Math.min(last, until)];
      if (low > high || (fate === "delivered") === (otherFate === "delivered")) continue;
      if (!COMING.has(fate === "delivered" ? otherFate : fate)) add(low, high);
    }
  }
  return found;
}

export interface ReaderOptions {
  top: number;
  rowHeight: number;
  /** x of the lane's right edge. */
  right: number;
  most: number;
  /** Whether all texts have small letters. True beside the picture of a compared run, so that both look alike. */
  isSmall: boolean;
  /** x and width of the selected batches, in px. */
  marked: readonly { x: number; width: number }[];
}

type Readers = readonly (readonly [name: string, consumer: Reader])[];

const known = new WeakMap<object, Map<string, Readers>>();

/**
 * The consumers of a partition, in the order of their names, each with the part of its view that a row shows. The
 * result is kept, because a layout needs it for each lane in every tier that it tries.
 */
export function readersOf(frame: Frame, partition: string): Readers {
  return found(frame, `readers ${partition}`, ({ view }) => readersIn(view.consumers ?? {}, partition));
}

function readersIn(consumers: Readonly<Record<string, ConsumerView>>, partition: string): Readers {
  const byPartition = known.get(consumers) ?? new Map<string, Readers>();
  known.set(consumers, byPartition);
  const readers = byPartition.get(partition) ?? Object.entries(consumers)
    .filter(([, consumer]) => partition in consumer.positions)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, consumer]) => [name, readerOf(consumer, partition)] as const);
  byPartition.set(partition, readers);
  return readers;
}

function readerOf({ isolation, positions, delivered, lanes }: ConsumerView, partition: string): Reader {
  const of = <T>(table: Record<string, T> | undefined): Record<string, T> => {
    const value = table?.[partition];
    return value === undefined ? {} : { [partition]: value };
  };
  return { isolation, positions: of(positions), delivered: of(delivered), lanes: of(lanes) };
}

export function layoutReaders(
  frame: Frame,
  partition: string,
  replica: ReplicaView,
  cells: Cells,
  options: ReaderOptions,
): { readers: ReaderShape[]; differences: DifferenceShape[]; left: string | null; twin: string[] } {
  const consumers = readersOf(frame, partition);
  const words = compactWords(consumers.slice(0, options.most), partition, cells, replica, options);
  const readers: ReaderShape[] = [];
  const twin: string[] = [];
  consumers.forEach(([name, consumer], index) => {
    const position = consumer.positions[partition] as number;
    twin.push(say("diagram.lanes.reader_twin", {
      consumer: name, isolation: consumer.isolation, position, fact: readerFact(consumer, partition) }));
    if (index >= options.most) return;
    const y = options.top + index * options.rowHeight;
    const selection = plainly("actor", name);
    readers.push({
      key: name,
      name,
      isolation: consumer.isolation,
      y: y + options.rowHeight - STRIP_FOOT,
      left: cells.left,
      right: xOf(cells, position),
      texts: words.length === 0 ? readerTexts(name, consumer, factsOf(consumer, partition), y, cells, replica, options)
        : compactText(words[index] ?? name, isolationTerm(consumer.isolation), y + options.rowHeight - STRIP_FOOT, cells, replica, options),
      spans: spansOf(stretchesOf(consumer.lanes?.[partition]), cells),
      marked: [...options.marked],
      picked: isPicked(frame.selection, selection),
      selection,
    });
  });
  // If one consumer has room only for small letters, all get them.
  if (options.isSmall || readers.some(({ texts }) => texts.some(({ style }) => style === "ink"))) {
    for (const reader of readers) reader.texts = reader.texts.map((text) => (text.style === "text ink" ? { ...text, style: "ink" } : text));
  }
  const more = consumers.length - readers.length;
  return {
    readers, differences: differenceShapes(consumers, partition, readers, cells),
    left: more > 0 ? say("diagram.lanes.more_readers", { count: more }) : null, twin,
  };
}

/** The parts of a strip: neighbouring ranges with the same fate are joined; ranges outside the cells have no part. */
function spansOf(stretches: readonly Stretch[], cells: Cells): ReaderShape["spans"] {
  const spans: ReaderShape["spans"] = [];
  for (const [first, last, fate] of stretches) {
    const x = xOf(cells, first);
    const width = round(xOf(cells, last + 1) - x);
    const before = spans[spans.length - 1];
    if (before !== undefined && before.fate === fate && Math.abs(before.x + before.width - x) < 0.2) {
      before.width = round(before.width + width);
      before.last = last;
    } else if (width > 0) {
      spans.push({ x, width, fate, first, last });
    }
  }
  return spans;
}

function differenceShapes(
  consumers: Readers, partition: string, readers: readonly ReaderShape[], cells: Cells,
): DifferenceShape[] {
  const [one, other] = readers;
  if (one === undefined || other === undefined) return [];
  const [first, second] = consumers.map(([, consumer]) => stretchesOf(consumer.lanes?.[partition]));
  return differences(first ?? [], second ?? []).map(([from, until]): DifferenceShape => {
    const x = xOf(cells, from);
    const width = round(xOf(cells, until + 1) - x);
    return { x, width, top: one.y + 5, bottom: other.y - 5 };
  }).filter(({ x, width }) => width > 6 && !isNamed(other, x) && !isNamed(other, x + width));
}

/** Whether the text above a consumer's strip is in the way of a vertical line at `x`. */
function isNamed({ texts, y }: ReaderShape, x: number): boolean {
  return texts.some((text) => text.y < y && x > text.x - 4 && x < text.x + textWidth(text.text, TEXT) + 4);
}

/**
 * The texts of a consumer's row: its name above the strip, and what it has read at the strip's right end. If the line
 * of a gate would run through the name, both are right of the gates or, if that has no room, between two gates.
 */
function readerTexts(
  reader: string, consumer: Reader, { whole: fact, brief }: Facts, y: number, cells: Cells, replica: ReplicaView, options: ReaderOptions,
): TextShape[] {
  const line = y + options.rowHeight - STRIP_FOOT;
  const isolation = isolationTerm(consumer.isolation);
  const term = isolation === null ? {} : { term: isolation };
  const name = facts([reader, consumer.isolation]);
  const label: TextShape = { x: cells.left, y: line - aboveStrip(options.rowHeight), text: name, anchor: "start", style: "text ink halo", ...term };
  const gates = [xOf(cells, replica.last_stable_offset), xOf(cells, replica.high_watermark)];
  const labelEnd = cells.left + textWidth(name, TEXT) + 3;
  if (gates.some((x) => x > cells.left - 8 && x < labelEnd)) {
    // The log is so short that a gate's line would run through the name.
    const start = Math.max(...gates, cells.right) + 16;
    const whole = named(name, fact);
    if (textWidth(whole, TEXT) <= options.right - start) {
      return [{ x: round(start), y: line + 4, text: whole, anchor: "start", style: "text ink", ...term }];
    }
    const lines = wrapAtMost(whole, options.right - start, MARK, linesIn(options.rowHeight)).filter((text) => textWidth(text, MARK) <= options.right - start);
    const aside = isWhole(lines, whole) ? null : betweenGates([named(name, fact), named(name, brief), name, reader], cells.left, gates, options.right);
    // Right of the gates, the text stands on the strip's line, and without a halo, which would cover that line.
    const isBeyond = aside !== null && aside.x > Math.max(...gates) && start + textWidth(aside.text, MARK) <= options.right;
    if (aside !== null) return [{ ...label, ...(isBeyond ? { x: round(start), y: line + 4, text: aside.text, style: "ink" } : { ...aside, style: "ink halo" }) }];
    return lines.map((text, index, all): TextShape => (
      { x: round(start), y: line + (all.length > 1 ? -4 : 4) + index * 13, text, anchor: "start", style: "ink", ...(index === 0 ? term : {}) }));
  }
  const start = cells.right + 14;
  const beside = options.right - start;
  const lines = wrapAtMost(fact, beside, MARK, linesIn(options.rowHeight));
  if (isWhole(lines, fact) && beside > 50) {
    const first = line + (lines.length === 1 ? 4 : -4);
    return [
      label,
      ...lines.map((text, index): TextShape => ({ x: start, y: first + index * 13, text, anchor: "start", style: "" })),
    ];
  }
  const after = cells.left + textWidth(`${name}  `, TEXT);
  const shown = [fact, brief].find((one) => textWidth(one, MARK) <= options.right - after - 8);
  // A brief text right of the gates is easier to read than a whole one through which their lines run.
  const isUnderGates = shown !== undefined && gates.some((x) => x > after && x < after + 12 + textWidth(shown, MARK));
  if (isUnderGates && textWidth(brief, MARK) <= beside) return [label, { x: start, y: line + 4, text: brief, anchor: "start", style: "" }];
  return shown === undefined ? [label] : [label, { x: round(after + 8), y: label.y, text: shown, anchor: "start", style: "halo" }];
}

/** Whether `lines` are the whole of `text`, with breaks only between words or Chinese characters. */
function isWhole(lines: readonly string[], text: string): boolean {
  return lines.join(" ") === text || lines.join("") === text.replaceAll(" ", "") || lines.join("") === text;
}

/**
 * The first of `words` that fits above the strip, with its x: between two gates, or between a gate and an edge of the
 * strip. Null if none fits.
 */
function betweenGates(words: readonly string[], left: number, gates: readonly number[], right: number): Pick<TextShape, "x" | "text"> | null {
  const edges = [left - 8, ...gates.filter((x) => x > left - 8).sort((one, other) => one - other), right + 4];
  for (const text of words) {
    const wide = textWidth(text, MARK);
    const from = edges.slice(0, -1).find((edge, index) => edge + 8 + wide <= (edges[index + 1] as number) - 4);
    if (from !== undefined) return { x: round(from + 8), text };
  }
  return null;
}

/** The most lines of text in a row: in a low row, a second one would cover the next row or the rule below the lane. */
function linesIn(rowHeight: number): number {
  return rowHeight < 28 ? 1 : 2;
}

/** px from a name to its strip: a dotted line under the name must touch neither. */
function aboveStrip(rowHeight: number): number {
  return Math.max(ABOVE_STRIP, Math.min(ABOVE_STRIP + 2, rowHeight - 15));
}

/** x right of the gates and the cells, at which the text of a low row begins. */
function beyondGates(cells: Cells, replica: ReplicaView): number {
  return Math.max(xOf(cells, replica.last_stable_offset), xOf(cells, replica.high_watermark), cells.right) + 16;
}

/**
 * One line of text for each consumer, if their rows are low. All get the same kind of text (whole, brief or only the
 * name), because a shorter one would look like a difference. Beside the picture of a compared run, rows of any height
 * get such a line, at most with the number of records read, so that both pictures say the same in the same place. Empty
 * if no such line is needed or, in higher rows, if it has no room.
 */
function compactWords(consumers: Readers, partition: string, cells: Cells, replica: ReplicaView, options: ReaderOptions): string[] {
  const isLow = options.rowHeight < NAMED_ROW;
  if (!isLow && !options.isSmall) return [];
  const room = options.right - beyondGates(cells, replica);
  const readers = consumers.map(([name, consumer]) => ({ name, ...factsOf(consumer, partition) }));
  // If not even the shortest text fits, a low row has only the name, and the strip alone shows what was read.
  const levels = [...(options.isSmall ? [] : [readers.map(({ name, whole }) => named(name, whole))]), readers.map(({ name, brief }) => named(name, brief)), readers.map(({ name, least }) => named(name, least))];
  return levels.find((words) => words.every((text) => textWidth(text, MARK) <= room)) ?? (isLow ? readers.map(({ name }) => name) : []);
}

/**
 * The text of a row in small letters, right of the gates. Beside the picture of a compared run it is aligned to the
 * right edge, so that its place does not depend on the gates. Empty if it does not fit.
 */
function compactText(text: string, term: string | null, line: number, cells: Cells, replica: ReplicaView, options: ReaderOptions): TextShape[] {
  const start = beyondGates(cells, replica);
  if (textWidth(text, MARK) > options.right - start) return [];
  const place = options.isSmall ? { x: options.right, anchor: "end" as const } : { x: round(start), anchor: "start" as const };
  return [{ ...place, y: line + 4, text, style: "", ...(term === null ? {} : { term }) }];
}

/** The brokers, each with its id and whether it is alive: the lanes need no more of them. */
export function brokersOf(frame: Frame): { id: string; alive: boolean }[] {
  return found(frame, "brokers", ({ view }) => Object.entries(view.brokers ?? {}).map(([id, { alive }]) => ({ id, alive })));
}

/** Marks where the followers' logs end, and one text that names them all. */
export function layoutFollowers(
  frame: Frame,
  partition: PartitionView,
  shown: string,
  cells: Cells,
  y: number,
  rightEdge: number,
): { marks: { x: number; y: number }[]; texts: TextShape[]; twin: string[] } {
  const replica = partition.replicas[shown];
  const leaderEnd = replica?.log_end ?? 0;
  const byEnd = new Map<number, string[]>();
  for (const [id, follower] of Object.entries(partition.replicas)) {
    if (id === shown) continue;
    const names = byEnd.get(follower.log_end) ?? [];
    names.push(followerName(frame, partition.isr, id));
    byEnd.set(follower.log_end, names);
  }
  const ends = [...byEnd.entries()].sort(([one], [other]) => one - other);
  if (ends.length === 0) return { marks: [], texts: [], twin: [] };
  const marks = ends.map(([end]) => ({ x: xOf(cells, end), y }));
  const twin = ends.map(([end, names]) =>
    say(end > leaderEnd ? "diagram.lanes.follower_beyond" : "diagram.lanes.follower_end", { brokers: names, end }),
  );
  const text = clauses(twin);
  const width = textWidth(text, MARK);
  const first = Math.min(...marks.map((mark) => mark.x)) - 8;
  const last = Math.max(...marks.map((mark) => mark.x)) + 8;
  const gates = replica === undefined ? [] : [xOf(cells, replica.last_stable_offset), xOf(cells, replica.high_watermark)];
  const crossed = gates.some((x) => x > first - width - 4 && x < first - 2);
  const before = first - width >= 4 && !crossed;
  const [fitting = ""] = before ? [text] : wrapAtMost(text, rightEdge - last, MARK, 1);
  const place: TextShape = before
    ? { x: round(first), y: y + 9, text, anchor: "end", style: "" }
    : { x: round(last), y: y + 9, text: fitting, anchor: "start", style: "" };
  return { marks, texts: [place], twin };
}

function followerName(frame: Frame, isr: readonly number[], id: string): string {
  const name = `broker-${id}`;
  if (brokersOf(frame).some((broker) => broker.id === id && !broker.alive)) return say("diagram.lanes.follower_down", { broker: name });
  return isr.includes(Number(id)) ? name : say("diagram.lanes.follower_behind", { broker: name });
}

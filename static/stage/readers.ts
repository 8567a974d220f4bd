/**
 * Draws the consumers at the ends of the lanes: a row of squares, one for each offset, that show which records a
 * consumer has received, skips, or does not receive yet. A black bar is before the first record that an open
 * transaction keeps from a read_committed consumer.
 */

import { nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import { round } from "../diagrams/geometry.ts";
import { range, serialsText } from "../diagrams/batch.ts";
import { batchAt, serialAt } from "../diagrams/leader-log.ts";
import { brokenRecords } from "../diagrams/broken-records.ts";
import { isPicked, plainly } from "../diagrams/picked.ts";
import type { ReaderLaneView } from "../generated/messages.ts";
import type { ConsumerView, Frame, LogBatchView } from "../player/frame.ts";
import { isolationTerm } from "../player/terms.ts";
import { clauses, facts, listed, named as joined } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { readAgain } from "./again.ts";
import type { Box, Focus, Layer, Places, ReaderPlace, StageObject } from "./contract.ts";
import { DEPTH } from "./depth.ts";
import { box, fittedText, path, textWidth } from "./draw.ts";
import type { Reason } from "./hidden.ts";
import { NOT_READ, REASONS, heldIn, holderOf, reasonAt, wordsOf } from "./hidden.ts";
import { POSSIBLE, ledBy, replicaIn } from "./places.ts";
import { POSSIBLE_ROW, READ } from "./places-desk.ts";

const SQUARE = 10.5;
/** Units of height of the line with the name, in a row with two lines. */
const HEAD = 20;
const STEP = SQUARE + 2;

export const readers: Layer = (frame, here, focus) => {
  return Object.entries(here.readers).flatMap(([partition, places]) => [...headingOf(here, partition), ...laneReaders(frame, here, focus, partition, places)]);
};

/** In units. `OVER`: between a heading and its rows; `HEADING`: height of a heading. */
const OVER = 5;
const HEADING = 15;

/**
 * The heading with the partition's name above the rows at a lane, if a consumer has rows at several lanes, because
 * these could be taken for several consumers. Empty if none has, or without room.
 */
function headingOf(here: Places, partition: string): StageObject[] {
  const rowsOf = (name: string): ReaderPlace[] => Object.values(here.readers[name] ?? {});
  const own = Object.keys(here.readers[partition] ?? {});
  const others = Object.keys(here.readers).filter((name) => name !== partition);
  const boxes = rowsOf(partition).map(({ box: row }) => row);
  if (here.upright || boxes.length === 0 || !others.some((name) => own.some((consumer) => consumer in (here.readers[name] ?? {})))) return [];
  const [x, y] = [Math.min(...boxes.map((row) => row.x)), Math.min(...boxes.map((row) => row.y))];
  const isFree = others.flatMap(rowsOf).every(({ box: row }) => row.y > y || row.y + row.height < y - HEADING);
  return !isFree || y < HEADING * 2 ? [] : [{
    key: `reads:${partition}`, x: round(x), y: round(y - OVER), width: 0, height: 0, phase: "static", depth: DEPTH.body, label: "",
    draw: svg`${fittedText(0, 0, say("stage.reader.of", { partition }), boxes[0]?.width ?? 0, 12, { classes: "q", least: 9 })}`,
  }];
}

/** The boxes of the headings of rows. */
export function headingsIn(here: Places): Box[] {
  return Object.keys(here.readers).flatMap((partition) => headingOf(here, partition).map(({ x, y }) => ({ x, y: y - 11, width: textWidth(say("stage.reader.of", { partition }), 12), height: 14 })));
}

function laneReaders(frame: Frame, here: Places, focus: Focus, partition: string, places: Readonly<Record<string, ReaderPlace>>): StageObject[] {
  const rows = new Map<ReaderPlace, string[]>();
  for (const [name, place] of Object.entries(places)) rows.set(place, [...(rows.get(place) ?? []), name]);
  return [...rows].flatMap(([place, names]) => {
    const known = names.map((name) => ({ name, consumer: name === POSSIBLE ? possibleIn(frame, partition) : frame.view.consumers?.[name] })).filter((one): one is Named => one.consumer !== undefined);
    return known.length === 0 ? [] : rowObjects(frame, here, focus, partition, place, known);
  });
}

interface Named {
  name: string;
  consumer: ConsumerView;
}

/**
 * In a log case, the view of a possible read_committed consumer of the partition. Undefined if the view has consumers,
 * or no facts about a possible one.
 */
function possibleIn({ view }: Frame, partition: string): ConsumerView | undefined {
  const lane = Object.keys(view.consumers ?? {}).length === 0 ? view.derived?.possible?.[partition] : undefined;
  return lane === undefined ? undefined : { ...NOBODY, lanes: { [partition]: lane } };
}

const NOBODY: ConsumerView = { isolation: "read_committed", alive: true, paused: false, positions: {}, delivered: {}, delivered_count: 0, applied_count: 0, skipped_duplicates: 0 };

function positionIn({ consumer }: Named, partition: string): number {
  return consumer.lanes?.[partition]?.position ?? Number.POSITIVE_INFINITY;
}

interface Seen {
  offset: number;
  fate: string;
  reason: Reason | null;
  aborted: boolean;
  hue: string;
  /** The serial of the record at this offset; null for a marker or a record that no application sent. */
  serial: number | null;
}

interface Row {
  seen: Seen[];
  /** The number of offsets of the lane before those in `seen`. */
  earlier: number;
  read: number;
  counts: Record<Reason, number>;
}

function rowOf(here: Places, held: ReturnType<typeof heldIn>, lane: ReaderLaneView, batches: readonly LogBatchView[], most: number): Row {
  const stretches = [...(lane.stretches ?? []), ...(lane.ahead ?? [])];
  const counts: Row["counts"] = { undecided: 0, marker: 0, behind: 0, unrecorded: 0, aborted: 0, not_replicated: 0 };
  let total = 0;
  let read = lane.read ?? 0;
  const seen: Seen[] = [];
  for (const [first, last, fate] of stretches) {
    total += last - first + 1;
    if (fate === "delivered" && lane.read === undefined) read += last - first + 1;
    if (fate === "undecided" || fate === "aborted" || fate === "not_replicated") {
      for (const batch of within(batches, first, last)) {
        const reason = reasonAt(held, lane, batch, Math.max(first, batch.base_offset));
        if (reason !== null) counts[reason] += Math.min(last, batch.last_offset) - Math.max(first, batch.base_offset) + 1;
      }
    }
  }
  // The newest offsets are taken, from the end backwards.
  for (const [first, last, fate] of stretches.toReversed()) {
    for (let offset = last; offset >= first && seen.length < most; offset -= 1) {
      const batch = lane.position === null ? undefined : batchAt(batches, offset);
      seen.unshift({ offset, fate: batch?.control == null ? fate : "control", reason: reasonAt(held, lane, batch, offset), aborted: batch?.outcome === "aborted", hue: here.hue(batch?.producer_id), serial: serialAt(batch, offset) });
    }
  }
  return { seen, earlier: total - seen.length + (lane.folded ?? 0), read, counts };
}

function within(batches: readonly LogBatchView[], first: number, last: number): LogBatchView[] {
  return batches.filter((batch) => batch.last_offset >= first && batch.base_offset <= last);
}

/** A text in three lengths, of which `least` fits even in the smallest row. */
interface Sized {
  least: string;
  short: string;
  long: string;
}

/**
 * The text that says how many records are hidden and why; null if none are. Aborted records come last, because they
 * stay hidden; `least` does not name them if others are hidden.
 */
export function hiddenText(counts: Row["counts"]): Sized | null {
  const own = counts.undecided + counts.marker;
  const hidden = own + counts.behind + counts.unrecorded;
  const skipped = counts.aborted === 0 ? [] : [say("stage.reader.left_out", { count: counts.aborted })];
  if (hidden > 0) {
    const least = say("stage.reader.hidden", { count: hidden });
    const both = counts.behind > 0 && own > 0 && counts.unrecorded === 0;
    const key = counts.marker === 0 ? "stage.reader.hidden_unmarked" : "stage.reader.hidden_two";
    const long = both ? say(key, { undecided: own, behind: counts.behind }) : least;
    return { least, short: facts([least, ...skipped]), long: facts([long, ...skipped]) };
  }
  return skipped[0] === undefined ? null : { least: skipped[0], short: skipped[0], long: skipped[0] };
}

/**
 * The text about records that were received more than once: it names them if they are at most two; the shorter texts
 * only count more than two, because the squares need the room. Null if there are none.
 */
function againText(again: readonly number[]): Sized | null {
  if (again.length === 0) return null;
  const records = serialsText(again);
  const short = again.length > 2 ? say("stage.reader.again_count", { count: again.length }) : say("stage.reader.again", { records });
  return { least: short, short, long: say("stage.reader.read_again", { records }) };
}

const HUNDRED = 100;

/**
 * The most units for texts in a low and wide row. `title`: the name; `both`: the name with the isolation level; `read`:
 * the number of records read with the partition.
 */
const FLAT = { title: 90, both: 140, read: 110 };

/** The text `read`, on a phone preceded by the partition if the consumer reads several and the text is short enough. */
function readText({ lanes = {} }: ConsumerView, partition: string, read: string): string {
  const whole = joined(partition, read);
  return Object.keys(lanes).length > 1 && textWidth(whole, 12) <= FLAT.read ? whole : read;
}

/** The text that says how many records of a lane a consumer has read. */
function readOf({ position }: ReaderLaneView, read: number): string {
  return position === null ? say("stage.reader.not_read") : say("stage.reader.read", { count: read });
}

/**
 * A text for each row of the picture that says how much its consumer has read: `c1: 1 read from t-0`. It is used where
 * a card covers the rows.
 */
export function readersText(frame: Frame, here: Places): string[] {
  return Object.entries(here.readers).flatMap(([partition, places]) => Object.keys(places).flatMap((name) => {
    const lane = frame.view.consumers?.[name]?.lanes?.[partition];
    if (lane === undefined) return [];
    const { read } = rowOf(here, heldIn(frame, partition), lane, [], 0);
    return [say("stage.reader.read_of", { consumer: name, partition, read: readOf(lane, read) })];
  }));
}

function rowObjects(frame: Frame, here: Places, focus: Focus, partition: string, place: ReaderPlace, named: readonly Named[]): StageObject[] {
  const slowest = named.reduce((slow, one) => (positionIn(one, partition) < positionIn(slow, partition) ? one : slow));
  const { consumer } = slowest;
  const lane = consumer.lanes?.[partition] ?? NOT_READ;
  const broker = ledBy(frame, here, partition);
  const id = broker === null ? null : replicaIn(frame, broker, partition);
  const batches = id === null ? [] : Object.values(frame.view.partitions?.[partition]?.replicas[id]?.batches ?? {});
  const { scale } = place;
  const [across, height] = [place.box.width / scale, place.box.height / scale];
  const focused = focus.kind === "read" && focus.partition === partition && named.some(({ name }) => name === focus.actor);
  // On a phone, the tag of a step about a consumer is at the right end of its row.
  const width = across - (focused ? tagInRow(here, focus, place.box) / scale : 0);
  const room = Math.floor((width - 18) / STEP);
  const held = heldIn(frame, partition);
  const names = named.map(({ name }) => name);
  const whole = rowOf(here, held, lane, batches, room);
  const again = readAgain(lane, batches, brokenRecords(frame, "duplicated"));
  // Records that were received again are named only if none are hidden.
  const hidden = hiddenText(whole.counts) ?? againText(again);
  // On a phone, a row is low and wide, with everything on one line.
  const flat = height < 36 && across > 300;
  const single = height < 36;
  const isPossible = slowest.name === POSSIBLE;
  const count = isPossible && lane.position !== null ? say("stage.reader.stands", { offset: lane.position }) : readOf(lane, whole.read);
  const read = flat ? readText(consumer, partition, count) : count;
  const readWidth = textWidth(read, 12) + 12;
  const title = named.length > 1 ? say("stage.reader.group", { count: named.length, isolation: consumer.isolation, slowest: slowest.name }) : titleOf(slowest);
  // The text has as much room as for a hundred records, so that a greater number moves nothing beside it.
  const hundred = textWidth(say("stage.reader.read", { count: HUNDRED }), 12) + 12;
  // If the title needs the whole line to be readable, the number of records read is below it.
  const besideRead = width - 12 - readWidth;
  // If the row has a third line, the squares are there.
  const isThree = isPossible && !single && height >= POSSIBLE_ROW.height - 2;
  const isBelow = isPossible && !single && !isThree && textWidth(say("stage.reader.possible_committed"), 10, true) > besideRead;
  const titleRoom = flat ? FLAT.title : isBelow || isThree ? width - 17 : isPossible ? besideRead : width - 12 - Math.max(readWidth, hundred, READ - 12);
  const titleWidth = Math.min(titleRoom, textWidth(title, 12, true));
  // The isolation level is beside the name, without `read_` if the whole has no room.
  const bothRoom = flat ? FLAT.both : titleRoom;
  const level = named.length > 1 ? "" : levelOf(frame, partition, slowest, (name) => bothRoom - textWidth(name, 12, true) - 5, bothRoom - titleWidth - 5);
  // In low rows, all squares begin at the same x, so that squares of one offset are below each other, although names
  // and texts differ in length.
  const others = flat ? othersIn(frame, here, partition, names) : [];
  const headOf = (one: Named): number => {
    const wide = Math.min(titleRoom, textWidth(titleOf(one), 12, true));
    return wide + 5 + textWidth(levelOf(frame, partition, one, (name) => bothRoom - textWidth(name, 12, true) - 5, bothRoom - wide - 5), 11);
  };
  const from = flat ? 9 + Math.max(titleWidth + 5 + textWidth(level, 11), ...others.map(headOf)) + 12 : 9;
  // The width that the squares cannot have, apart from the text about hidden records: in a low row the names and the
  // number of records read; where that number is below the title, that number; else only the margins.
  const beside = flat ? from + readWidth + 12 : isBelow ? readWidth + 5 : 18;
  const roomOf = (words: string): number => (words === "" ? 0 : textWidth(words, 12, true) + 10);
  const squaresBeside = (words: string): number => isThree ? squaresAlone(width, from) : Math.floor((width - roomOf(words) - beside) / STEP);
  const total = whole.seen.length + whole.earlier;
  // Beside a tag, the count of hidden records is left out if it would leave fewer than four squares.
  const isCrowded = width < across && hidden !== null && squaresBeside(hidden.least) < 4;
  const hasRoom = (words: string): boolean => isThree ? roomOf(words) <= width - 17 - readWidth : Math.min(total, room) <= squaresBeside(words) || (!flat && words === hidden?.short && squaresBeside(words) >= 4);
  const said = hidden === null || isCrowded ? null : ([hidden.long, hidden.short].find(hasRoom) ?? hidden.least);
  const after = roomOf(said ?? "");
  // In a low row with a tag, the row has as many squares as fit beside the tag, even if the other rows have more.
  const needed = Math.min(total, earlierSteps(total) + 2);
  // In such a row, the number of records read is left out, too, if the squares need its room.
  const isTagged = flat && width < across && squaresBeside(said ?? "") < needed;
  const counted = isTagged ? 0 : readWidth;
  const own = isTagged ? squaresAlone(width - roomOf(said ?? ""), from) : squaresBeside(said ?? "");
  const isFull = (flat || isBelow) && own < needed;
  const theirs = others.map((one) => squaresOfOther(frame, here, focus, partition, one, batches, from)).filter((count) => count >= needed);
  const most = Math.max(3, flat ? Math.min(isFull ? room : own, ...theirs) : own);
  const row = whole.seen.length > most || whole.earlier > 0 ? rowOf(here, held, lane, batches, Math.max(2, most - earlierSteps(total))) : whole;
  const squareY = flat ? (height - SQUARE) / 2 : single ? height - SQUARE - 3 : height - SQUARE - 7;
  const titleY = flat ? height / 2 + 4.5 : single ? 12.5 : 16;
  const saidY = isThree ? titleY + 17 : squareY + 9.5;
  const isAgain = hiddenText(whole.counts) === null;
  const reasons = REASONS.filter((reason) => whole.counts[reason] > 0)
    .map((reason) => joined(String(whole.counts[reason]), wordsOf(reason, holderOf(lane, batches)).long));
  const gotTwice = isAgain && hidden !== null ? [hidden.long] : [];
  const selection = isPossible ? {} : { select: plainly("actor", slowest.name), picked: names.some((name) => isPicked(frame.selection, plainly("actor", name))) };
  const dead = wordOf(consumer) !== null;
  const row0: StageObject = {
    key: `reader:${partition}:${names.join("+")}`, ...place.box, phase: "gate", depth: DEPTH.body, ...selection, hot: focused,
    draw: svg`<g transform=${`scale(${scale})`}><title>${clauses([facts([isPossible ? say("stage.reader.possible_title") : listed(names), consumer.isolation]), ...gotTwice, ...reasons])}</title>${box(0, 0, across, height, `body${dead ? " dead" : ""}`, 5)}${
      focused ? svg`${box(1, 1, across - 2, single ? height - 2 : HEAD, "wash", 4)}${box(-0.5, -0.5, across + 1, height + 1, "ring", 6)}` : nothing}${
      level === "" ? fittedText(9, titleY, isPossible ? say("stage.reader.possible_committed") : title, titleRoom, 12, { bold: true, classes: "b", least: 8 })
      : svg`<text x="9" y=${titleY}><tspan class="s12 b">${title}</tspan><tspan class="s11 k" dx="5">${level}</tspan></text>`}${
      counted === 0 ? nothing : isThree ? fittedText(9, saidY, read, readWidth, 12, { classes: "k", least: 9 }) : fittedText(width - 8 - (isBelow ? after : 0), isBelow ? saidY : titleY, read, readWidth, 12, { classes: "k", least: 9, anchor: "end" })}${
      said === null ? nothing : fittedText(width - 8 - (flat ? counted : 0), saidY, said, after, 12, { bold: true, classes: isAgain ? "bad" : "b", least: 9, anchor: "end" })}${
      isFull ? nothing : squaresOf(row, from, squareY, new Set(again))}</g>`,
    label: say("stage.reader.label", {
      reader: isPossible ? title : listed(names), isolation: consumer.isolation, partition, read: facts([read, ...gotTwice]), hidden: reasons.length === 0 ? say("stage.none") : facts(reasons),
    }),
  };
  const caption = captionOf(place, names, partition, consumer.isolation, titleY, titleWidth + (level === "" ? 0 : 5 + textWidth(level, 11)));
  // A press on the text about hidden records asks why they are hidden.
  const unseen = [...(lane.stretches ?? []), ...(lane.ahead ?? [])].find(([first, last]) => within(batches, first, last).some((batch) => reasonAt(held, lane, batch, Math.max(first, batch.base_offset)) !== null));
  if (said === null || unseen === undefined) return [row0, ...caption];
  const [first, last] = unseen;
  return [row0, ...caption, {
    key: `unseen:${partition}:${names.join("+")}`, x: round(place.box.x + (width - 8 - after - (flat ? counted : 0)) * scale), y: round(place.box.y + (saidY - 12.5) * scale),
    width: round(after * scale), height: round((SQUARE + 6) * scale), phase: "gate", depth: DEPTH.body, draw: svg`<rect class="hit" width=${round(after * scale)} height=${round((SQUARE + 6) * scale)} rx="3"/>`,
    ...(isPossible ? { ask: { question: "lso", subject: partition }, label: say("player.why.gate", { partition }) }
      : { ask: { question: "unseen", subject: `${slowest.name}/${partition}/${first}` }, label: say("player.why.seen", { consumer: slowest.name, offsets: range(first, last) }) }),
  }];
}

/** The other consumers of a lane that have rows of their own. */
function othersIn(frame: Frame, here: Places, partition: string, names: readonly string[]): Named[] {
  return Object.keys(here.readers[partition] ?? {}).flatMap((name) => {
    const consumer = names.includes(name) ? undefined : frame.view.consumers?.[name];
    return consumer === undefined ? [] : [{ name, consumer }];
  });
}

/** The number of squares that have room from x = `from` to the right end of a row of `width` units. */
const squaresAlone = (width: number, from: number): number => Math.floor((width - from - 12) / STEP);

/**
 * The number of squares for which the low and wide row of another consumer has room beside its text. The rows of a lane
 * show equally many, except one with a tag, so that squares of one offset are below each other.
 */
function squaresOfOther(frame: Frame, here: Places, focus: Focus, partition: string, { name, consumer }: Named, batches: readonly LogBatchView[], from: number): number {
  const place = here.readers[partition]?.[name];
  const lane = consumer.lanes?.[partition];
  if (place === undefined || lane === undefined) return Number.POSITIVE_INFINITY;
  const { read, counts } = rowOf(here, heldIn(frame, partition), lane, batches, 0);
  const isTold = focus.kind === "read" && focus.partition === partition && focus.actor === name;
  const width = (place.box.width - (isTold ? tagInRow(here, focus, place.box) : 0)) / place.scale;
  const said = isTold ? "" : (hiddenText(counts)?.least ?? "");
  const count = readText(consumer, partition, readOf(lane, read));
  if (width < place.box.width / place.scale) return squaresAlone(width, from);
  return Math.floor((width - (said === "" ? 0 : textWidth(said, 12, true) + 10) - from - textWidth(count, 12) - 24) / STEP);
}

/** The tag inside a consumer's row, in units: size of letters, height, space around the text, and distances. */
export const ROW_TAG = { size: 12, height: 18, pad: 12, edge: 7, gap: 6 };

/**
 * Units that the tag of a step takes at the right end of a consumer's row on a phone, with the gap before it. 0 if the
 * tag is too long for the row, and on other stages.
 */
export function tagInRow({ upright }: Places, { tag }: Focus, row: ReaderPlace["box"]): number {
  const width = tag === null || !upright ? 0 : textWidth(say(tag.key, tag.params), ROW_TAG.size, true) + ROW_TAG.pad + ROW_TAG.edge + ROW_TAG.gap;
  return width > row.width * 0.5 ? 0 : width;
}

/** A button over the title of a row: a press shows what the isolation level means. */
function captionOf({ box: { x, y }, scale }: ReaderPlace, names: readonly string[], partition: string, isolation: string, baseline: number, wide: number): StageObject[] {
  const term = isolationTerm(isolation);
  if (term === null) return [];
  const width = round((wide + 8) * scale);
  return [{
    key: `caption:${partition}:${names.join("+")}`, x: round(x + 5 * scale), y: round(y + (baseline - 12.5) * scale), width, height: 17, phase: "gate", depth: DEPTH.body, term,
    draw: svg`<rect class="hit" width=${width} height="17" rx="3"/>`, label: say("player.term.of", { term: isolation }),
  }];
}

/** The width of a text as a share of its estimated width. */
const WIDER = 0.86;

/**
 * The isolation level beside a consumer's name; "" without room. All consumers of a lane have it without `read_` if one
 * of them has no room for the whole; it is left out if the name already ends with it.
 */
function levelOf(frame: Frame, partition: string, { name: own, consumer: { isolation } }: Named, roomBeside: (name: string) => number, room: number): string {
  const fitting = Object.entries(frame.view.consumers ?? {}).every(([name, other]) => !(partition in (other.lanes ?? {})) || textWidth(other.isolation, 11) * WIDER <= roomBeside(name));
  const said = fitting ? isolation : isolation.replace(/^read_/, "");
  if (!fitting && own.endsWith(`-${said}`)) return "";
  return textWidth(said, 11) * WIDER <= room ? said : "";
}

/** The consumer's name, with its state if it fetches nothing. */
function titleOf({ name, consumer }: Named): string {
  if (name === POSSIBLE) return say("stage.reader.possible");
  const word = wordOf(consumer);
  return word === null ? name : `${name} ${word}`;
}

/** The word that says why a consumer fetches nothing, such as `down`; null if it fetches. */
export function wordOf({ alive, paused, group }: Pick<ConsumerView, "alive" | "paused" | "group">): string | null {
  if (!alive) return say("stage.down");
  if (group?.closed === true) return say("stage.closed");
  if (group?.left === true) return say("stage.left");
  return paused ? say("stage.paused") : null;
}

/** The number of squares whose room the words take that count `count` earlier records. */
function earlierSteps(count: number): number {
  return Math.ceil((textWidth(say("stage.reader.earlier", { count }), 11) * WIDER + 6) / STEP);
}

/**
 * The drawing of a row's squares. `again`: the serials of records that were delivered more than once, which are red.
 */
function squaresOf({ seen, earlier }: Row, left: number, y: number, again: ReadonlySet<number>): SVGTemplateResult {
  const from = earlier > 0 ? left + STEP * earlierSteps(earlier) : left;
  return svg`${earlier > 0 ? svg`<g><title>${say("stage.earlier_name", { count: earlier })}</title>${fittedText(left, y + 9.5, say("stage.reader.earlier", { count: earlier }), STEP * earlierSteps(earlier) - 5, 11, { classes: "q", least: 9 })}</g>` : nothing}${
    seen.map((one, index) => {
      const x = round(from + index * STEP);
      return one.serial !== null && again.has(one.serial) && one.fate === "delivered" ? box(x, y, SQUARE, SQUARE, "bad", 1.5) : svg`${square(one, x, y)}${isAtWall(seen, index, earlier) ? box(x - 3, y - 4, 4, SQUARE + 8, "lso", 0.5) : nothing}`;
    })}`;
}

const isHeld = (one: Seen | undefined): boolean => one !== undefined && one.reason !== null && one.reason !== "aborted" && one.reason !== "not_replicated";

/**
 * Whether the offset at this index is the first one that the LSO keeps from the consumer, so that the black bar is
 * before it. False for the first square if the row counts earlier offsets, because the LSO may be before these.
 */
function isAtWall(seen: readonly Seen[], index: number, earlier: number): boolean {
  return isHeld(seen[index]) && !seen.slice(0, index).some(isHeld) && (index > 0 || earlier === 0);
}

/**
 * The square of an offset. Delivered: solid. Aborted: struck out. Its own transaction undecided: dashed. Behind another
 * transaction, or not fetched yet: an outline.
 */
function square({ fate, reason, aborted, hue }: Seen, x: number, y: number): SVGTemplateResult {
  if (fate === "delivered") return box(x, y, SQUARE, SQUARE, `flag ${hue}`, 1.5);
  if (fate === "control") return path(`M${x + 1.5},${y}v${SQUARE}M${x + 1.5},${y + 0.6}h5.5v5h-5.5`, "rail");
  const [left, top, side] = [x + 0.7, y + 0.7, SQUARE - 1.4];
  if (aborted || reason === "aborted") return svg`${box(left, top, side, side, `cell small ${hue}`, 1.5)}${path(`M${x + 1.5},${y + SQUARE - 1.5}L${x + SQUARE - 1.5},${y + 1.5}`, "ring soft")}`;
  if (reason === "undecided" || reason === "marker") return box(left, top, side, side, `cell small open ${hue}`, 1.5);
  if (reason === "behind" || fate === "not_fetched") return box(left, top, side, side, `cell small ${hue}`, 1.5);
  if (fate === "not_replicated" || reason === "unrecorded") return box(left, top, side, side, "none wait", 1.5);
  return path(`M${x + 3},${y + SQUARE / 2}h${SQUARE - 6}`, "rail");
}

/**
 * The space-time diagram: one lane per actor, time downwards, one arrow per message. Pure.
 *
 * `spacetime-rows.ts` decides where the rows stand, by step or by time. If not all messages fit, the most important
 * ones are drawn (`importance`), and of equally important ones the newest. A fold counts the others where they would
 * be.
 */

import type { Arrow, Frame, Mark, Selection } from "../player/frame.ts";
import { duration, say } from "../player/text.ts";
import { hueOf, range } from "./batch.ts";
import { isAnyBroken } from "./broken-records.ts";
import { MARK, overlap, round, textWidth } from "./geometry.ts";
import { batchKey, fateText, messageHue, messageLabel } from "./message-words.ts";
import { carriedBatches, isPicked, messageSelection } from "./picked.ts";
import { isAnsweredBy, isLost, sentAgain } from "./sent-again.ts";
import type { BandShape } from "./spacetime-band.ts";
import { bandRoom, bandShape, plainBand, WORDLESS } from "./spacetime-band.ts";
import type { FoldPlace } from "./spacetime-folds.ts";
import { placeFolds } from "./spacetime-folds.ts";
import { footHeight, footNotes, NOTE_LINE, noteLines } from "./spacetime-foot.ts";
import type { LaneHead } from "./spacetime-heads.ts";
import { ACTORS_MOST, actorsIn, actorsOf, byRole, doerOf, laneHeads, lanesLeft, TIMES } from "./spacetime-heads.ts";
import { CROSS, labelArrows } from "./spacetime-labels.ts";
import type { MarkShape } from "./spacetime-margin.ts";
import { defaults as margin, layoutMark, marginWidth, turningPoints } from "./spacetime-margin.ts";
import type { Cut, Row, RowSpacing, Spacing, WordsRoom } from "./spacetime-rows.ts";
import { layoutRows } from "./spacetime-rows.ts";
import { ownSubject } from "./timer-word.ts";
import { isMessageOfPicked } from "./transaction-picked.ts";

export interface SpacetimeOptions {
  width: number;
  height: number;
  /** Whether every candidate message is drawn, however tall the picture gets. */
  whole?: boolean;
  /** What the distance between two rows stands for: one step, or virtual time. */
  spacing?: Spacing;
  /**
   * For the picture of a compared run: the names of the actors whose lanes both pictures have; empty: the picture
   * chooses its own. The band then has no texts, because the page shows the step's sentence. Null: no comparison.
   */
  columns?: readonly string[] | null;
  foremost?: Foremost;
}

/**
 * The messages (ids) and actors (names) that a picture draws before others, the most important first. The labels of
 * these messages get their places before all others.
 */
export interface Foremost {
  messages: readonly number[];
  actors: readonly string[];
}

export const NOTHING_FOREMOST: Foremost = { messages: [], actors: [] };

export const defaults: SpacetimeOptions = { width: 648, height: 464 };

const HEADER = 46;
/** The least px from the text of one time to that of the next. */
const TIME_LINE = 13;
const LOOKED_AT = 400;
/** Height in px of a cell with the offsets at which a batch was stored. */
const STORED = 18;

export interface ArrowShape {
  key: string;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  hue: string | null;
  fate: "delivered" | "dropped" | "lost" | "under_way";
  held: boolean;
  now: boolean;
  picked: boolean;
  /** The arrow's label; null if no free place was found: the accessible name still contains it. */
  label: { x: number; y: number; angle: number; text: string } | null;
  name: string;
  selection: Selection;
}

export interface SpacetimeShape {
  width: number;
  height: number;
  lanes: LaneHead[];
  top: number;
  bottom: number;
  times: { y: number; text: string; now: boolean }[];
  arrows: ArrowShape[];
  dots: { x: number; y: number }[];
  shortened: { y: number; text: string }[];
  folds: FoldPlace[];
  /** The numbers of undrawn messages that are written at the time axis, such as `+3`. */
  counts: { x: number; y: number; text: string; name: string }[];
  marks: MarkShape[];
  band: BandShape | null;
  /** The cells beside the arrow that brought a batch: the offsets where it is stored or, of a duplicate, its equal. */
  stored: {
    key: string; x: number; y: number; width: number; text: string; hue: string; matched: boolean; picked: boolean;
    selection: Selection;
    /** Whether the cell is right of the lane and joined to the arrow's dot; else it is near it without a line. */
    joined: boolean;
  }[];
  bars: { key: string; x: number; y: number; height: number; text: string; picked: boolean; selection: Selection }[];
  notes: string[];
  /** The notes at the foot, divided into lines. */
  noteLines: string[];
  twin: string[];
  /** The actors whose lanes the picture would choose without `columns`, the most important first. */
  wanted: readonly string[];
}

export interface Drawn {
  arrow: Arrow;
  underWay: boolean;
  endStep: number;
  endAt: number;
}

/** The number of arrows sent up to a step; `arrows` are in order of sending. */
export function sentUpTo(arrows: readonly Arrow[], step: number): number {
  let low = 0;
  let high = arrows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((arrows[middle] as Arrow).sentStep <= step) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The message of an arrow: while it is in transit, its state in the view; after that as it was sent. */
function messageNow({ id, message }: Arrow, { network }: Frame["view"]): Arrow["message"] {
  return network?.messages[String(id)] ?? message;
}

/**
 * An arrow with its end as drawn at a step: the step and time (ms) at which its message arrived or was lost; in
 * transit, the time at which it is due, which a delay changes.
 */
function asDrawn(arrow: Arrow, step: number, view: Frame["view"]): Drawn {
  const underWay = arrow.settledStep === null || arrow.settledStep > step;
  return {
    arrow,
    underWay,
    endStep: underWay ? Number.POSITIVE_INFINITY : (arrow.settledStep as number),
    endAt: underWay ? (messageNow(arrow, view).arrives_at ?? arrow.sentAt) : (arrow.settledAt as number),
  };
}

const BROKEN = 4.5;
/** The weight of a message in `Foremost`. */
const FOREMOST = 7;
/** The weight of the response to such a request, or of the request to such a response. */
const EXCHANGE = 5;

/** Whether a message brought a batch that was stored, and of which a record has broken a guarantee. */
function hasBroken(frame: Frame, { message: { to }, stored }: Arrow): boolean {
  return Object.entries(stored).some(([partition, offset]) => {
    const batch = frame.view.partitions?.[partition]?.replicas[to.replace("broker-", "")]?.batches[String(offset)];
    return batch?.control === null && isAnyBroken(frame, batch.serials);
  });
}

/** The responses to the requests with these ids, and the requests to which the responses with these ids belong. */
function exchangesOf(arrows: readonly Arrow[], ids: readonly number[]): Set<Arrow> {
  const some = arrows.filter(({ id }) => ids.includes(id));
  return new Set(arrows.filter(({ message }) => some.some((one) => isAnsweredBy(one.message, message) || isAnsweredBy(message, one.message))));
}

/**
 * The weight of a message. Messages with higher weights are drawn first. `keys`: from {@link currentKeys}; `again`: the
 * messages that were sent again after a loss; `exchanges`: from {@link exchangesOf}.
 */
function importance(frame: Frame, drawn: Drawn, keys: ReadonlySet<string>, again: ReadonlySet<Arrow>, exchanges: ReadonlySet<Arrow>, { messages, actors }: Foremost): number {
  const step = frame.step?.number ?? 0;
  const { arrow } = drawn;
  const place = messages.indexOf(arrow.id);
  if (place >= 0) return FOREMOST + 1 / (1 + place);
  if (arrow.sentStep === step || drawn.endStep === step) return 6;
  if (isPicked(frame.selection, messageSelection(frame.view, arrow.message)) || isMessageOfPicked(frame, arrow.message)) return 5;
  if (exchanges.has(arrow)) return EXCHANGE;
  const key = batchKey(arrow.message);
  if (hasBroken(frame, arrow)) return BROKEN;
  if (key !== null && keys.has(key)) return 4;
  if (again.has(arrow) || (!drawn.underWay && arrow.fate !== "delivered")) return 4;
  if (drawn.underWay) return 3;
  if (arrow.message.error !== null && arrow.message.error !== "NONE") return 3;
  const least = arrow.message.api === "Fetch" || arrow.message.api === "Metadata" ? 0 : 1;
  return actors.includes(arrow.message.from) || actors.includes(arrow.message.to) ? least + 0.5 : least;
}

/** The spacing of rows that is used if essential messages would have no room with the usual one. */
const TIGHTER: Record<Spacing, RowSpacing> = { step: "tight", time: "close" };

/** The weight that a lost message gets in addition if its loss is a turning point. */
const TURNED = 0.75;

/**
 * The weight that counts with each spacing. By time, all but the most important messages weigh the same, so that the
 * newest ones are drawn without a fold among them, which would not be to scale.
 */
const RANK: Record<Spacing, (weight: number) => number> = {
  step: (weight) => weight,
  time: (weight) => (weight >= 5 ? weight : Math.min(weight, 1)),
};

/** Keys of the batches in messages that are sent, arrive or are lost in this step. */
function currentKeys(frame: Frame, candidates: readonly Drawn[]): Set<string> {
  const step = frame.step?.number ?? 0;
  const keys = new Set<string>();
  for (const drawn of candidates) {
    if (drawn.arrow.sentStep !== step && drawn.endStep !== step) continue;
    const key = batchKey(drawn.arrow.message);
    if (key !== null) keys.add(key);
  }
  return keys;
}

export function layoutSpacetime(
  frame: Frame, arrows: readonly Arrow[], options: SpacetimeOptions = defaults, marks: readonly Mark[] = [],
): SpacetimeShape {
  const step = frame.step?.number ?? 0;
  const end = sentUpTo(arrows, step);
  const foremost = options.foremost ?? NOTHING_FOREMOST;
  const since = Math.max(0, end - LOOKED_AT);
  const looked = [...arrows.slice(0, since).filter(({ id }) => foremost.messages.includes(id)), ...arrows.slice(since, end)];
  const candidates = looked.map((arrow) => asDrawn(arrow, step, frame.view));
  const keys = currentKeys(frame, candidates);
  const again = new Set(sentAgain(looked, step).values());
  const exchanges = exchangesOf(looked, foremost.messages);
  const spacing = options.spacing ?? "step";
  // A turning point on a lane is only understood beside the message whose loss it is, so that message gets more weight.
  const turned = new Set(marks.map((mark) => mark.step));
  const isTurned = ({ arrow }: Drawn): boolean => arrow.fate === "dropped" && arrow.settledStep !== null && turned.has(arrow.settledStep);
  const ranked = candidates
    .map((drawn) => ({ drawn, weight: RANK[spacing](importance(frame, drawn, keys, again, exchanges, foremost)) + (isTurned(drawn) ? TURNED : 0) }))
    .sort((one, other) => other.weight - one.weight || other.drawn.arrow.id - one.drawn.arrow.id);
  const room = options.height - HEADER - footHeight(options.width, spacing, options.columns != null);
  const first = Math.min(step, ...ranked.filter((item) => item.weight >= 4).map((item) => item.drawn.arrow.sentStep));
  const begin = options.whole === true ? (candidates[0]?.arrow.sentStep ?? step) : first;
  const points = options.width < margin.narrow || options.columns != null ? [] : turningPoints(marks, begin, step);
  const rooms = wordsRooms(frame, candidates, points, options);
  if (options.whole === true) return compose(frame, candidates, candidates, points, rooms, end - candidates.length, options);
  const choose = (among: typeof ranked, rows: RowSpacing): Drawn[] => {
    const kept: Drawn[] = [];
    for (const { drawn, weight } of among) {
      kept.push(drawn);
      const actors = actorsOf(frame, kept);
      if (kept.length > 1 && (layoutRows(frame, kept, candidates, points, rooms(kept), rows).height > room || actors.length > ACTORS_MOST)) {
        kept.pop();
        if (spacing === "time" && weight <= 1.5) break; // Older messages would stand beyond a gap in which this one is missing.
      }
      if (kept.length >= 24) break;
    }
    return kept;
  };
  const essential = ranked.filter(({ weight }) => (spacing === "step" && weight === BROKEN) || weight >= FOREMOST);
  const counted = (kept: readonly Drawn[]): number => essential.filter(({ drawn }) => kept.includes(drawn)).length;
  const usual = choose(ranked, spacing);
  const tight = counted(usual) < essential.length ? choose(ranked, TIGHTER[spacing]) : usual;
  const [own, rows]: [Drawn[], RowSpacing] = counted(tight) > counted(usual) ? [tight, TIGHTER[spacing]] : [usual, spacing];
  const ends = (some: readonly Drawn[]): string[] => some.flatMap(({ arrow }) => [arrow.message.from, arrow.message.to]);
  const decisive = ranked.filter(({ drawn }) => foremost.messages.includes(drawn.arrow.id)).map(({ drawn }) => drawn);
  const known = new Set(frame.header.actors.map(({ name }) => name));
  const wanted = [...new Set([...actorsIn(frame.step), ...ends(decisive), ...foremost.actors.filter((name) => known.has(name)), ...ends(own)])];
  const columns = options.columns ?? [];
  const isDrawn = ({ arrow }: Drawn): boolean => columns.includes(arrow.message.from) && columns.includes(arrow.message.to);
  const kept = columns.length === 0 || own.every(isDrawn) ? own : choose(ranked.filter(({ drawn }) => isDrawn(drawn)), rows);
  kept.sort((one, other) => one.arrow.sentStep - other.arrow.sentStep || one.arrow.id - other.arrow.id);
  return { ...compose(frame, kept, candidates, points, rooms, end - candidates.length, options, rows), wanted };
}

type Rooms = (kept: readonly Drawn[]) => WordsRoom & { left: number };

/**
 * A function from the drawn messages to the room for their rows' texts, with x of the first lane (`left`). The room
 * depends only on the number of lanes, so it is computed once for each number.
 */
function wordsRooms(frame: Frame, candidates: readonly Drawn[], points: readonly Mark[], { columns, width }: SpacetimeOptions): Rooms {
  const now = frame.step?.at ?? frame.view.time;
  const times = candidates.flatMap(({ arrow, underWay, endAt }) => [arrow.sentAt, underWay ? Math.max(endAt, frame.view.time) : endAt]);
  const left = lanesLeft([...new Set([...times, ...points.map(({ at }) => at), now])].map((at) => ({ text: timeText(at), now: at === now })));
  const known = new Map<number, WordsRoom & { left: number }>();
  return (kept) => {
    const lanes = actorsOf(frame, kept).length;
    const column = columns == null ? marginWidth(width, left, lanes) : null;
    const room = known.get(lanes) ?? { left, column, band: columns == null ? bandRoom(frame, width, column) : WORDLESS };
    known.set(lanes, room);
    return room;
  };
}

function compose(
  frame: Frame, kept: readonly Drawn[], candidates: readonly Drawn[], points: readonly Mark[], rooms: Rooms, earlier: number,
  options: SpacetimeOptions, rowSpacing: RowSpacing = options.spacing ?? "step",
): SpacetimeShape {
  const spacing = options.spacing ?? "step";
  const words = rooms(kept);
  const layout = layoutRows(frame, kept, candidates, points, words, rowSpacing);
  const top = HEADER + 14;
  const rows = layout.rows.map((row) => ({ ...row, y: row.y + top }));
  const now = frame.step?.number ?? 0;
  const times = timeTexts(rows, now);
  const { left } = words;
  const columns = options.columns ?? null;
  const isBeside = columns !== null;
  const actors = isBeside && columns.length > 0 ? byRole(frame, columns) : actorsOf(frame, kept);
  const lanes = laneHeads(frame, actors, options.width, left, isBeside ? null : undefined);
  const xOf = new Map(lanes.map((lane) => [lane.actor, lane.x]));
  const nowRow = rows.find((row) => row.step === now && !row.future);
  const shape: SpacetimeShape = {
    width: options.width, height: Math.max(options.height, layout.height + top + 24), lanes, top: HEADER,
    bottom: Math.max(layout.height + top + 12, HEADER + 40), times, arrows: [], dots: [],
    shortened: layout.shortened.map((cut) => ({ y: round(cut.y + top), text: cutText(cut, spacing) })),
    counts: layout.counts.map((hidden) => ({ x: left - 9, y: round(hidden.y + top + 4), text: `+${hidden.count}`, name: foldText(hidden) })),
    folds: layout.folds.map(({ y, count, gap }) => ({
      x: 0, width: 0, y: round(y + top), text: foldText({ count, gap }),
      brief: say("diagram.spacetime.folded_brief", { count }),
    })),
    marks: [], band: null, stored: [], bars: [], notes: [], noteLines: [], twin: [], wanted: actors,
  };
  if (nowRow !== undefined && frame.step !== null) shape.band = isBeside ? plainBand(frame, nowRow.y, lanes) : bandShape(frame, nowRow.y, lanes, options.width, left);
  // A lost message did not arrive: its cross stands where it was lost, and nothing marks its receiver.
  const isLostHere = kept.some(({ arrow }) => arrow.settledStep === now && arrow.fate !== "delivered" && arrow.message.to === frame.step?.actor);
  if (shape.band !== null && isLostHere) shape.band = { ...shape.band, x: null, sign: null };
  const beside = Math.max(...xOf.values()) + 16;
  shape.marks = points.map((point) => {
    const y = rows.find((row) => row.step === point.step)?.y ?? 0;
    return layoutMark(point, y, xOf.get(point.actor) ?? null, beside, words.column);
  });
  placeArrows(frame, shape, kept, rows, xOf, options.foremost ?? NOTHING_FOREMOST);
  shape.bars = timerBars(frame, rows, xOf);
  const notes = footNotes(frame, shape, earlier + layout.before, xOf, rowSpacing);
  shape.notes = notes.map(({ text }) => text);
  shape.noteLines = noteLines(notes, options.width, spacing, isBeside);
  const further = Math.max(0, shape.noteLines.length - 1) * NOTE_LINE;
  shape.height = Math.max(shape.height, layout.height + top + 24 + further);
  shape.twin = twinSentences(frame, shape, kept, spacing === "time" ? layout.shortened : []);
  return shape;
}

function foldText({ count, gap }: { count: number; gap: number }): string {
  return say("diagram.spacetime.folded", { count, gap: duration(gap) });
}

/**
 * The text of a break, with its length. By time, it says that nothing was sent; before an awaited arrival this is not
 * known yet, so the text says only that the distance is shortened, as it does by step.
 */
function cutText({ from, until, awaited }: Cut, spacing: Spacing): string {
  const by = duration(until - from);
  return say(spacing === "time" && !awaited ? "diagram.spacetime.quiet" : "diagram.spacetime.shortened", { by });
}

function timeText(at: number): string {
  return say("diagram.at", { at });
}

function timeTexts(rows: Row[], now: number): SpacetimeShape["times"] {
  const texts: SpacetimeShape["times"] = [];
  let last: Row | null = null;
  for (const row of rows) {
    if (last !== null && last.at === row.at && row.step !== now) continue;
    const y = round(row.y + 4);
    const previous = texts[texts.length - 1];
    if (previous !== undefined && y - previous.y < TIME_LINE) {
      if (row.step !== now) continue;
      texts.pop();
    }
    texts.push({ y, text: timeText(row.at), now: row.step === now });
    last = row;
  }
  return texts;
}

/**
 * Adds a cell to each arrow that brought a batch: the offsets at which the batch is stored or, for a duplicate, those
 * of the equal batch. There is no cell if the log no longer has that batch.
 */
function storedCells(frame: Frame, shape: SpacetimeShape, kept: readonly Drawn[]): void {
  const seen = new Set<string>();
  const now = frame.step?.number ?? 0;
  const again = kept.filter((drawn) => drawn.arrow.sentStep === now || drawn.endStep === now).map((drawn) => batchKey(drawn.arrow.message));
  kept.forEach((drawn, index) => {
    const { message } = drawn.arrow;
    const key = batchKey(message);
    if (key === null || drawn.underWay || drawn.arrow.fate !== "delivered") return;
    const arrow = shape.arrows[index];
    const [entry] = Object.entries(carriedBatches(message));
    if (arrow === undefined || entry === undefined || drawn.endStep === now) return;
    const [partition, batch] = entry;
    const view = frame.view.partitions?.[partition];
    const replica = view?.replicas[message.to.replace("broker-", "")];
    if (replica === undefined) return;
    const isEqual = partition in drawn.arrow.equals;
    const offset = (isEqual ? drawn.arrow.equals : drawn.arrow.stored)[partition];
    const place = `${partition}/${offset}${isEqual ? "=" : ""}`;
    if (seen.has(place)) return;
    seen.add(place);
    const stored = offset === undefined ? undefined : replica.batches[String(offset)];
    // A log that was truncated may have another batch at this offset.
    if (stored === undefined || stored.producer_id !== batch["producer_id"] || stored.first_sequence !== batch["base_sequence"]) return;
    const text = say(isEqual ? "diagram.spacetime.duplicate" : "diagram.spacetime.stored", { offsets: range(stored.base_offset, stored.last_offset) });
    const width = round(textWidth(text, MARK) + 12);
    const selection: Selection = { kind: "batch", id: `${partition}/${offset}`, partition, serials: [...stored.serials] };
    shape.stored.push({
      key: place, ...storedPlace(shape, arrow, width), width, text, hue: isEqual ? "plain" : hueOf(stored.producer_id, frame.plan),
      matched: !isEqual && again.includes(key), picked: isPicked(frame.selection, selection), selection,
    });
  });
}

/**
 * The place of a cell: right of the arrow's end if that is free; else below or above the cell, band or cross that is
 * there; else left of the lane.
 */
function storedPlace(shape: SpacetimeShape, arrow: ArrowShape, width: number): { x: number; y: number; joined: boolean } {
  const taken = [
    ...shape.stored.map((cell) => ({ x: cell.x, y: cell.y, width: cell.width, height: STORED })),
    ...(shape.band === null ? [] : [{ x: 0, y: shape.band.y, width: shape.width, height: shape.band.height }]),
    ...shape.arrows.filter(isLost).map(({ x2, y2 }) => ({ x: x2 - CROSS, y: y2 - CROSS, width: 2 * CROSS, height: 2 * CROSS })),
  ];
  const left = { x: round(arrow.x2 - 8 - width), y: round(arrow.y2 + 7), joined: false };
  const fits = arrow.x2 + 14 + width <= shape.width - 4;
  const first = fits ? { x: round(arrow.x2 + 14), y: round(arrow.y2 - 9), joined: true } : left;
  const hits = (place: { x: number; y: number }) => taken.find((box) => overlap({ ...place, width, height: STORED }, box));
  const there = hits(first);
  if (there === undefined) return first;
  const others = [there.y + there.height + 2, there.y - STORED - 2].map((y) => ({ x: first.x, y: round(y), joined: false }));
  return [...others, left].find((place) => hits(place) === undefined) ?? first;
}

function placeArrows(
  frame: Frame, shape: SpacetimeShape, kept: readonly Drawn[], rows: Row[], xOf: ReadonlyMap<string, number>,
  foremost: Foremost,
): void {
  const now = frame.step?.number ?? 0;
  const yOfStep = new Map(rows.filter((row) => !row.future).map((row) => [row.step, row.y]));
  const yOfTime = new Map(rows.filter((row) => row.future).map((row) => [row.at, row.y]));
  const sent = new Map<string, number>();
  const dots = new Map<string, { x: number; y: number }>();
  for (const drawn of kept) {
    const { message } = drawn.arrow;
    const x1 = xOf.get(message.from) ?? 0;
    const x2 = xOf.get(message.to) ?? 0;
    const y1 = yOfStep.get(drawn.arrow.sentStep) ?? 0;
    const y2 = drawn.underWay ? (yOfTime.get(Math.max(drawn.endAt, frame.view.time)) ?? y1 + 20) : (yOfStep.get(drawn.endStep) ?? y1);
    const cut = !drawn.underWay && drawn.arrow.fate !== "delivered" ? 0.62 : 1;
    const key = batchKey(message);
    const again = key !== null && sent.has(key);
    if (key !== null && !again) sent.set(key, drawn.arrow.id);
    const selection = messageSelection(frame.view, message);
    const arrives = Math.sign(x2 - x1) * 5;
    shape.arrows.push({
      key: String(drawn.arrow.id),
      x1: round(x1 + arrives), y1: round(y1),
      x2: round(x1 + (x2 - x1) * cut - (cut === 1 ? arrives : 0)), y2: round(y1 + (y2 - y1) * cut),
      hue: messageHue(message, frame.plan), fate: drawn.underWay ? "under_way" : (drawn.arrow.fate as ArrowShape["fate"]),
      held: drawn.underWay && (frame.view.network?.messages[String(message.id)]?.held ?? false),
      now: drawn.arrow.sentStep === now || drawn.endStep === now,
      picked: isPicked(frame.selection, selection) || isMessageOfPicked(frame, message), label: null,
      name: arrowName(frame, drawn, again), selection,
    });
    dots.set(`${x1} ${y1}`, { x: x1, y: round(y1) });
    if (!drawn.underWay && cut === 1) dots.set(`${x2} ${y2}`, { x: x2, y: round(y2) });
  }
  shape.dots = [...dots.values()];
  storedCells(frame, shape, kept);
  placeFolds(shape.folds, shape.arrows, shape.stored.map(({ x, y, width }) => ({ x, y, width, height: STORED })), (shape.lanes[0]?.x ?? TIMES) + 12, (shape.lanes[shape.lanes.length - 1]?.x ?? shape.width) - 12);
  labelArrows(shape, kept, sent, foremost.messages);
}

function arrowName({ view }: Frame, drawn: Drawn, again: boolean): string {
  const { message, sentAt } = drawn.arrow;
  return say("diagram.spacetime.arrow", {
    at: sentAt, from: message.from, to: message.to, message: messageLabel(message, again), fate: fateText(drawn.arrow, drawn.underWay, messageNow(drawn.arrow, view)),
  });
}

/** Retry waits and timeouts that began within the drawn time, as bars on their actor's lane. */
function timerBars(frame: Frame, rows: Row[], xOf: ReadonlyMap<string, number>): SpacetimeShape["bars"] {
  const bars: SpacetimeShape["bars"] = [];
  const first = rows[0];
  if (first === undefined) return bars;
  for (const [client, view] of Object.entries(frame.view.clients ?? {})) {
    const x = xOf.get(client);
    if (x === undefined) continue;
    const backoff = Object.entries(view.timers).find(([, timer]) => timer.kind.includes("backoff") && timer.since >= first.at);
    if (backoff === undefined) continue;
    const [name, timer] = backoff;
    const selection: Selection = { kind: "timer", id: `${client}/${name}` };
    const y1 = yAt(rows, timer.since);
    const y2 = yAt(rows, Math.min(timer.until, rows[rows.length - 1]?.at ?? timer.until));
    bars.push({
      key: `${client}/${name}`, x: x - 5, y: round(y1), height: round(Math.max(14, y2 - y1)),
      text: say("diagram.timer.name", {
        kind: say(`diagram.timer.kind.${timer.kind}`), subject: ownSubject(frame, { actor: client, timer }),
        left: duration(Math.max(0, timer.until - frame.view.time)), until: timer.until,
      }),
      picked: isPicked(frame.selection, selection), selection,
    });
  }
  return bars;
}

/** y of a time (ms), interpolated between the rows before and after it. */
function yAt(rows: Row[], time: number): number {
  let before = rows[0] as Row;
  for (const row of rows) {
    if (row.at >= time) {
      const span = row.at - before.at;
      return span <= 0 ? row.y : before.y + ((row.y - before.y) * (time - before.at)) / span;
    }
    before = row;
  }
  return before.y;
}

/**
 * The sentences of the diagram's text: one per message, and before the first message after a break (`cuts`) one for it.
 */
function twinSentences(frame: Frame, shape: SpacetimeShape, kept: readonly Drawn[], cuts: readonly Cut[]): string[] {
  const waiting = cuts.map((cut, index) => ({
    at: cut.until, text: say("diagram.spacetime.cut", { from: cut.from, until: cut.until, text: shape.shortened[index]?.text ?? "" }),
  }));
  const sentences: string[] = [];
  kept.forEach((drawn, index) => {
    while (waiting[0] !== undefined && waiting[0].at <= drawn.arrow.sentAt) sentences.push(waiting.shift()?.text ?? "");
    sentences.push(shape.arrows[index]?.name ?? "");
  });
  const step = frame.step;
  if (step !== null) {
    while (waiting[0] !== undefined && waiting[0].at <= step.at) sentences.push(waiting.shift()?.text ?? "");
    sentences.push(say("diagram.spacetime.now", { at: step.at, actor: doerOf(step), sentence: say(step.key, step.params) }));
  }
  sentences.push(...waiting.map(({ text }) => text));
  return [...shape.notes, ...shape.folds.map((fold) => fold.text), ...shape.counts.map((hidden) => hidden.name), ...shape.marks.map((mark) => mark.name), ...sentences];
}

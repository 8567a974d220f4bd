/**
 * Draws the lanes: the batches of a log, its gates, and the reasons why a read_committed consumer does not receive
 * records yet, which the engine reports.
 */

import { nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import { batchWords, identity, isAbsent, range, serialsText } from "../diagrams/batch.ts";
import { brokenIn } from "../diagrams/broken-records.ts";
import { orderSign } from "../diagrams/order-sign.ts";
import type { Broken } from "../diagrams/broken-records.ts";
import { clamp, round } from "../diagrams/geometry.ts";
import { isPicked } from "../diagrams/picked.ts";
import { isOfPicked } from "../diagrams/transaction-picked.ts";
import type { Frame, LogBatchView, PartitionView, ReplicaView, Selection } from "../player/frame.ts";
import { say } from "../player/text.ts";
import type { Focus, LanePlace, Places, StageObject, Window } from "./contract.ts";
import { windowOf } from "./contract.ts";
import { DEPTH } from "./depth.ts";
import { box, cellType, fitted, fittedText, flag, halo, hatch, path, text, textWidth } from "./draw.ts";
import { ghostNeeds, isBehindRing, namesBeside } from "./gate-names.ts";
import { heldStretches } from "./hidden.ts";
import type { Stretch } from "./hidden.ts";
import { phoneParts } from "./later.ts";
import { ledBy, replicaIn } from "./places.ts";
import { hueInLog, isOpen } from "../diagrams/instance.ts";

/** A cell at least so many units high has its producer's identity above its sequence numbers. */
const TWO_LINES = 38;

/** A cell at least so many units high has them so only if it is too narrow for both in one line. */
const LOW = 30;

/** A cell at least so many units high also has room for its records, on a line between the two. */
const THREE_LINES = 56;

/**
 * The size of letters, in units, in which a cell's records must fit beside its identity to be shown there. They must
 * also fit between gates at both edges, because gates move and the text should not change with them.
 */
const NAMED = 9;

export interface LaneOf {
  frame: Frame;
  here: Places;
  focus: Focus;
  /** The name of the broker in whose box the lane is drawn: `broker-1`. */
  broker: string;
  partition: string;
  place: LanePlace;
  /** Whether this is only a strip of a lane that is drawn at full size elsewhere. */
  echo?: boolean;
}

export function laneObjects(lane: LaneOf): StageObject[] {
  const objects = objectsOf(lane);
  if (lane.echo !== true) return objects;
  const { box: own } = lane.place;
  return [
    ...objects.map(({ select: _select, ask: _ask, term: _term, ...object }) => ({ ...object, key: `strip:${object.key}`, label: "" })),
    ...(isInChip(lane) ? [] : [{ key: "strip:ring", ...own, phase: "static", depth: DEPTH.gate, label: "", draw: box(3, 0, own.width - 6, own.height, "ring soft", 4) } as const]),
  ];
}

function objectsOf(lane: LaneOf): StageObject[] {
  const { frame, here, broker, partition, place } = lane;
  const view = frame.view.partitions?.[partition];
  const id = replicaIn(frame, broker, partition);
  const replica = id === null ? undefined : view?.replicas[id];
  if (view === undefined || replica === undefined) return baseOf(lane, null, null, "");
  const leads = ledBy(frame, here, partition) === broker;
  const window = windowOf(place, replica.log_start, replica.log_end, replica.batches);
  const shown = Object.values(replica.batches).filter((batch) => batch.last_offset >= window.first).sort((one, other) => one.base_offset - other.base_offset);
  if (!leads || place.strip) {
    return [...baseOf(lane, replica, window, leads ? "" : say("stage.copy")), ...shown.map((batch) => thinCell(lane, window, batch, leads)), ...(leads ? gatesOf(lane, replica, window, shown) : [])];
  }
  const stretches = heldStretches(frame, partition, shown);
  const isWorded = saysSeq(here, place, window, shown);
  return [
    ...baseOf(lane, replica, window, leaderWord(lane, view)),
    ...shown.map((batch) => cellOf(lane, window, batch, replica, isWorded)),
    offsetsOf(lane, window, shown, replica),
    ...gatesOf(lane, replica, window, shown),
    ...reasonsOf(lane, window, stretches, replica),
  ];
}

function leaderWord({ here }: LaneOf, view: PartitionView): string {
  if (here.kind === "log") return "";
  return view.deleted ? say("stage.deleted") : say("stage.leader");
}

/**
 * The objects of a lane without its batches and gates: its name, the role of the broker, the axis, the start of the
 * log, and the number of offsets before the drawn ones.
 */
function baseOf(lane: LaneOf, replica: ReplicaView | null, window: Window | null, role: string): StageObject[] {
  const { partition, place } = lane;
  const { cells } = place;
  const bottom = cells.y + cells.height;
  const labelWidth = cells.x - place.box.x - 18;
  const middle = cells.y + cells.height / 2;
  const earlier = replica === null || window === null ? 0 : window.first - replica.log_start;
  const starts = replica !== null && window !== null && window.first === replica.log_start && !place.strip;
  const own = place.box;
  const axis: StageObject = {
    key: `lane:${lane.broker}:${partition}`, x: 0, y: 0, width: 0, height: 0, phase: "static", depth: DEPTH.body, label: "",
    draw: svg`${lane.here.upright && place.strip && !isInChip(lane) ? box(own.x, own.y, own.width, own.height, "body", 6) : nothing}${place.heir === undefined ? nothing : box(own.x, own.y, own.width, own.height + 4, "body", 8)}${path(`M${cells.x},${bottom}H${cells.x + cells.width}`, "hair")}${
      starts ? path(`M${cells.x - 3},${cells.y}V${bottom}`, "start") : nothing}`,
  };
  return [axis, nameOf(lane, role, labelWidth, middle, earlier)];
}

/**
 * The name of a lane, which is a button; below it the role of the broker and the number of offsets before the drawn
 * ones.
 */
function nameOf(lane: LaneOf, role: string, width: number, middle: number, earlier: number): StageObject {
  const { frame, here, broker, partition, place } = lane;
  // A phone has no room for a long name beside the cells, so the name is in the broker's first line.
  const above = hasNameAbove(here, partition, place);
  // A name in one line of slightly smaller letters is better than one in two lines.
  const type = { bold: true, ...(fitted(partition, width, 15, { least: 12, bold: true }).cut ? { most: 3, least: 9 } : { most: 1, least: 12 }) };
  const { size, lines } = fitted(partition, width, 15, type);
  const room = place.box.width - 110;
  const selection: Selection = { kind: "partition", id: partition };
  // In the box of another broker, the lane names its present leader.
  const heir = place.strip || above ? undefined : place.heir;
  const height = place.strip ? place.box.height : Math.max(24, lines.length * (size + 1.5) + (role === "" ? 8 : 22) + (heir === undefined ? 0 : 2 * HEIR));
  const y = above ? place.box.y - 31 : middle - height / 2;
  const isLong = textWidth(say("stage.lane_earlier", { count: earlier }), 12) > width + 4;
  const under = above ? 5 : (role === "" ? 20 : 30) + (lines.length - 1) * 6 + (isLong ? 6 : 0) + (heir === undefined ? 0 : HEIR);
  const own = (at: number): number => at - y;
  if (isInChip(lane)) return phoneParts().chipName(lane, middle);
  if (here.upright && place.strip) return phoneParts().rowName(lane, y, middle);
  const name = above ? fittedText(room, 19, partition, room - 8, 14, { bold: true, classes: "b", most: 2, least: 8, anchor: "end" })
    : place.strip ? fittedText(4, own(middle) + 4, partition, width, 12, { bold: true, classes: "b", least: 8 })
    : fittedText(4, own(middle) + (role === "" ? 5 : 0), partition, width, 15, { ...type, classes: "b" });
  return {
    key: `name:${broker}:${partition}`, x: above ? place.box.x + 98 : place.box.x + 8, y, width: above ? room : width + 8, height: above ? 27 : height,
    phase: "static", depth: DEPTH.body, label: say("diagram.lanes.title_name", { partition }), select: selection, picked: isPicked(frame.selection, selection),
    draw: svg`<rect class="hit" width=${above ? room : width + 8} height=${above ? 27 : height}/>${name}${
      place.strip || role === "" || above ? nothing : fittedText(4, own(middle) + 15 + (lines.length - 1) * 6, role, width, 12, { classes: "q", least: 10 })}${
      heir === undefined ? nothing : fittedText(4, own(middle) + 15 + HEIR + (lines.length - 1) * 6, heir, width + 8, 12, { bold: true, classes: "b", least: 10 })}${
      earlier > 0 && !place.strip ? fittedText(above ? -86 : 4, own(middle) + under, say("stage.lane_earlier", { count: earlier }), width + 4, 12, { classes: "k", least: 10, most: 2 }) : nothing}`,
  };
}

/** Units from the word *leader* down to the name of the leader, if that is another broker than the one of the box. */
const HEIR = 14;

/** Whether the lane is a strip in the small box of a broker on a phone, which names only the partition. */
const isInChip = ({ here, broker, place }: LaneOf): boolean => place.strip && here.brokers[broker]?.rows !== undefined;

export function hasNameAbove(here: Places, partition: string, place: LanePlace): boolean {
  return here.upright && !place.strip && textWidth(partition, 13, true) > place.cells.x - place.box.x - 16;
}

function selectionOf(partition: string, batch: LogBatchView): Selection {
  return { kind: "batch", id: `${partition}/${batch.base_offset}`, partition, serials: [...batch.serials] };
}

function isFocused({ focus, partition }: LaneOf, batch: LogBatchView): boolean {
  return (focus.kind === "append" || focus.kind === "duplicate") && focus.partition === partition && focus.offset === batch.base_offset;
}

function picked(frame: Frame, selection: Selection, batch: LogBatchView): boolean {
  return isPicked(frame.selection, selection) || ((batch.transactional || batch.control !== null) && isOfPicked(frame, { producer: batch.producer_id }));
}

function cellName(partition: string, batch: LogBatchView, hidden: string): string {
  const offsets = range(batch.base_offset, batch.last_offset);
  const what = batch.control !== null ? say("stage.marker_name", { result: batch.control, producer_id: batch.producer_id, producer_epoch: batch.producer_epoch })
    : batchWords(batch);
  const state = batch.outcome === undefined ? "" : ` ${say(`stage.outcome.${batch.outcome}`)}`;
  return `${say("stage.cell_name", { partition, offsets, what })}${state}${hidden === "" ? "" : ` ${hidden}`}`;
}

function cellOf(lane: LaneOf, window: Window, batch: LogBatchView, { batches, high_watermark: high, last_stable_offset: stable }: ReplicaView, isWorded: boolean): StageObject {
  const { frame, here, partition, place } = lane;
  const { cells } = place;
  const x = window.x(batch.base_offset);
  const width = round(window.x(batch.last_offset + 1) - x);
  const height = cells.height;
  const hue = here.hue(batch.producer_id);
  const shade = hueInLog(frame.view, here, batch);
  const selection = selectionOf(partition, batch);
  const broken = brokenIn(frame, batch, batches);
  const twice = broken.some(({ guarantee }) => guarantee === "duplicated");
  const ringed = ringedGate(lane);
  const ring = ringed === null ? null : ringed === "high_watermark" ? high : stable;
  const covered = (edge: number, gate: number): number => (edge === ring ? RINGED : edge === high || edge === stable ? gate : 0);
  const gates = { left: covered(batch.base_offset, GATE.left), right: covered(batch.last_offset + 1, GATE.right) };
  const framed = broken.filter(({ guarantee }) => guarantee !== ORDER);
  const parts = framed.length === 0 ? [] : brokenParts(batch, framed);
  const late = broken.filter(({ guarantee }) => guarantee === ORDER);
  const lates = late.length === 0 ? [] : (brokenParts(batch, late) ?? [[batch.base_offset]]);
  const drawn = batch.control === null ? svg`${batchCell(batch, width, height, { hue, shade }, parts === null, gates, isWorded)}${lates.map(([first = batch.base_offset]) => orderSign(window.x(first) - x + 4, 8))}${
    (parts ?? []).map(([first, last]) => box(window.x(first) - x + 2, 1.5, window.x(last + 1) - window.x(first) - 4, height - 3, "cell-part", 2))}` : markerCell(batch, width, height, shade);
  return {
    key: `b:${partition}:${batch.base_offset}`, x: round(x), y: cells.y, width, height, phase: "effect", depth: DEPTH.cell,
    draw: drawn,
    from: [round(x) - 90, cells.y], hot: isFocused(lane, batch), select: selection, picked: picked(frame, selection, batch),
    label: cellName(partition, batch, twice ? say("stage.twice") : ""),
  };
}

const ORDER = "reordered";

/**
 * Units of a cell that gates at its edges cover: on the left up to two gates at the same offset, on the right half of
 * one.
 */
const GATE = { left: 7, right: 4 };
/** Units of a cell that a gate at its edge covers if the gate has the step's ring. */
const RINGED = 10;
/** Units kept free at either edge of a cell beside its identity, because a gate may move there. */
const GATE_EDGE = 6;

/** The text of a cell without sequences: its records, if they fit. */
function recordsIn(batch: LogBatchView, inner: number): string {
  // A number without "r" or "records" could be taken for a sequence number or an offset, so it is only the last choice.
  const said = [serialsText(batch.serials), say("diagram.batch.records", { count: batch.record_count })];
  return said.find((one) => one !== "" && textWidth(one, 10, true) <= inner) ?? String(batch.record_count);
}

/**
 * The names of a batch's first and last record, for two lines of `inner` units. Null if the records fit in one line,
 * are not consecutive, or if even these two names do not fit.
 */
function stackedIn(batch: LogBatchView, inner: number): [string, string] | null {
  const [first, last] = [batch.serials[0], batch.serials.at(-1)];
  if (first === undefined || last === undefined || last === first || last - first !== batch.serials.length - 1) return null;
  const lines: [string, string] = [`r${first}–`, `r${last}`];
  return textWidth(serialsText(batch.serials), 10, true) > inner && lines.every((one) => textWidth(one, 10, true) <= inner) ? lines : null;
}

/** Size of the letters, in units, of the word before sequence numbers. */
export const SEQ = 11;

/**
 * Whether the cells of a lane have the word *seq* before their numbers: either all have it, if each has room, or none.
 * On a phone none has it, because a line under the picture says what the numbers are.
 */
export function saysSeq({ upright }: Places, { cells: { height } }: LanePlace, window: Window, shown: readonly LogBatchView[]): boolean {
  const word = `${say("stage.seq")} `;
  return !upright && shown.every(({ base_offset: base, last_offset: end, producer_id: id, producer_epoch: epoch, first_sequence: first, last_sequence: last }) => {
    if (isAbsent(first)) return true;
    const needs = height < TWO_LINES ? textWidth(`${identity(id, epoch) ?? ""} ${word}${range(first, last)}`, 13, true)
      : textWidth(word, SEQ) + textWidth(range(first, last), cellType(height)[1], true) + 2 * GATE_EDGE;
    return needs <= window.x(end + 1) - window.x(base) - 8;
  });
}

/**
 * The drawing of a batch. `all`: units of its width; `gates`: units that gates cover at its left and right edge. A
 * narrow cell has only its sequence numbers, between the gates.
 */
function batchCell(batch: LogBatchView, all: number, height: number, { hue, shade }: { hue: string; shade: string }, isBroken: boolean, gates: { left: number; right: number }, isWorded: boolean): SVGTemplateResult {
  const inner = all - 8;
  const aborted = batch.outcome === "aborted";
  const rim = aborted ? " rim" : "";
  const who = identity(batch.producer_id, batch.producer_epoch);
  const hasNumbers = !isAbsent(batch.first_sequence);
  const what = hasNumbers ? range(batch.first_sequence, batch.last_sequence) : recordsIn(batch, inner);
  const shell = svg`${box(1, 0, all - 2, height, `cell ${shade}${isOpen(batch) ? " open" : ""}${isBroken ? " twice" : ""}`, 3)}${
    aborted ? hatch(all, height, hue) : nothing}`;
  const [small, large] = cellType(height);
  const besideGates = inner - 2 * GATE_EDGE;
  const line = (said: string, y: number, size: number, least: number, classes: string, bold: boolean) => {
    const { size: at, lines, cut } = fitted(said, bold ? inner : besideGates + 5, size, { least, bold });
    const width = textWidth(said, at, bold);
    const seq = isWorded && hasNumbers && said === what ? `${say("stage.seq")} ` : "";
    const before = seq === "" ? 0 : textWidth(seq, SEQ);
    // The text stands beside a gate, not under it.
    const half = (before + width) / 2;
    const [low, high] = [gates.left + half + 1, all - gates.right - half - 1];
    const middle = round(low > high ? (low + high) / 2 : clamp(all / 2, low, high));
    return cut ? nothing : svg`<text x=${middle} y=${round(y)} text-anchor="middle" class=${`s${at} ${classes}${rim} ${aborted ? hue : ""}`}>${before === 0 ? nothing : svg`<tspan class=${`s${SEQ} k`}>${seq}</tspan>`}${named(lines[0] ?? "")}</text>`;
  };
  // The epoch of a batch is bold, because fencing depends on it.
  const named = (said: string): SVGTemplateResult | string => (who !== null && said.startsWith(who) ? svg`<tspan class="b">${who}</tspan>${said.slice(who.length)}` : said);
  const stacked = who === null && isAbsent(batch.first_sequence) && height >= TWO_LINES ? stackedIn(batch, inner) : null;
  if (stacked !== null) return svg`${shell}${line(stacked[0], height / 2 - 3, 13, 9, "b", true)}${line(stacked[1], height / 2 + 13, 13, 9, "b", true)}`;
  // If identity and numbers do not fit in one line, they are in two, if the height allows.
  const whole = who === null ? what : [isWorded ? `${who} ${say("stage.seq")} ${what}` : `${who} | ${what}`].find((one) => textWidth(one, 13, true) <= inner);
  if (who === null || height < LOW || (height < TWO_LINES && whole !== undefined)) return svg`${shell}${line(whole ?? what, height / 2 + 5, 15, 9, "b", true)}`;
  const records = serialsText(batch.serials);
  const both = `${who} ${records}`;
  const top = batch.serials.length > 0 && textWidth(both, NAMED) <= besideGates ? both : who;
  if (top === who && batch.serials.length > 0 && height >= THREE_LINES && textWidth(records, NAMED) <= besideGates) {
    return svg`${shell}${line(who, height * 0.27, small, 8, "k", false)}${line(records, height * 0.5, small, 9, "k", false)}${line(what, height * 0.84, large, 9, "b", true)}`;
  }
  return svg`${shell}${line(top, height * 0.36, small, 8, "k", false)}${line(what, height * 0.8, large, 9, "b", true)}`;
}

/** Units from the left edge of a low cell to the text after a marker's flag. */
const BEHIND_FLAG = 22;

function markerCell(batch: LogBatchView, width: number, height: number, shade: string): SVGTemplateResult {
  const who = identity(batch.producer_id, batch.producer_epoch) ?? "";
  const letter = (batch.control ?? "?").charAt(0).toUpperCase();
  if (height < TWO_LINES) {
    // A low cell has no room for the identity under a whole flag: the identity stands to the right of it.
    const beside = fitted(who, width - BEHIND_FLAG - 2, 12, { least: 10 });
    // As in a high cell, the flag keeps away from a ring if there is room.
    const off = round(clamp((width - BEHIND_FLAG - 8 - textWidth(who, beside.size)) / 2, 0, 10));
    const x = beside.cut ? round(Math.max(4, (width - 17) / 2)) : 4 + off;
    return svg`<rect class="hit" width=${width} height=${height}/>${flag(x, 2, height - 8, letter, shade)}${
      beside.cut ? nothing : text(BEHIND_FLAG + off, height / 2 + 3, who, `s${beside.size} k`)}`;
  }
  const { size, cut } = fitted(who, width - 8, 12, { least: 9, bold: true });
  // The flag and the text keep off a ring inside the gates at the edges, and off the gate on the right.
  const left = round(clamp((width - textWidth(who, size, true)) / 2 - 4, 2, 14));
  return svg`<rect class="hit" width=${width} height=${height}/>${flag(left, 2, Math.min(32, height - 20), letter, shade)}${
    cut ? nothing : text(left, height - 2, who, `s${size} k b`)}`;
}

/** The cell of a batch in a copy or a strip, which has no numbers. */
function thinCell(lane: LaneOf, window: Window, batch: LogBatchView, leads: boolean): StageObject {
  const { frame, here, partition, place, broker } = lane;
  const { cells } = place;
  const height = place.strip ? cells.height : Math.min(16, cells.height);
  const x = window.x(batch.base_offset);
  const width = round(window.x(batch.last_offset + 1) - x);
  const shade = hueInLog(frame.view, here, batch);
  const selection = selectionOf(partition, batch);
  const drawn = batch.control === null
    ? svg`${box(0.5, 0, width - 1, height, `cell small ${shade}${isOpen(batch) ? " open" : ""}`, 2)}${batch.outcome === "aborted" ? hatch(width, height, shade) : nothing}`
    : svg`${path(`M2,0V${height}`, `pole line ${shade}`)}${path(`M2,0h${Math.min(9, width - 3)}v${round(height * 0.6)}h${-Math.min(9, width - 3)}z`, `flag line ${shade}`)}`;
  return {
    key: `${leads ? "b" : `copy:${broker}`}:${partition}:${batch.base_offset}`, x: round(x), y: cells.y + (place.strip ? 0 : cells.height - height), width, height,
    phase: "effect", depth: DEPTH.cell, draw: drawn,
    hot: leads && isFocused(lane, batch), picked: picked(frame, selection, batch), label: leads ? cellName(partition, batch, "") : "",
    ...(leads ? { select: selection } : {}),
  };
}

/**
 * The possible texts below a batch that broke a guarantee, the longest first. They name the records unless the cell
 * does (`isNamed`), because the reader could not tell otherwise which record is stored twice. For a hanging transaction
 * the offset is more important, because the tool that ends it needs its first offset.
 */
export function underBroken(broken: string, offset: string, records: string, isNamed: boolean): string[] {
  const guarantee = say(`player.guarantee.${broken}`);
  if (isNamed) return [`${offset} ${guarantee}`, offset];
  const whole = say("stage.offset_broken", { offset, records, guarantee });
  return broken === "hanging" ? [whole, `${offset} ${guarantee}`, offset] : [whole, `${records} ${guarantee}`, `${offset} ${records}`, records];
}

/**
 * The ranges of offsets of those of a batch's records that broke a guarantee. Null if all of them did, or if not all
 * records of the batch are known.
 */
export function brokenParts(batch: LogBatchView, broken: readonly Pick<Broken, "serials">[]): [first: number, last: number][] | null {
  const serials = new Set(broken.flatMap((one) => one.serials));
  if (batch.serials.length !== batch.last_offset - batch.base_offset + 1 || batch.serials.every((serial) => serials.has(serial))) return null;
  const parts: [number, number][] = [];
  batch.serials.forEach((serial, index) => {
    const offset = batch.base_offset + index;
    const last = parts.at(-1);
    if (!serials.has(serial)) return;
    if (last?.[1] === offset - 1) last[1] = offset;
    else parts.push([offset, offset]);
  });
  return parts;
}

/** Units between the names of records below a cell and another text. */
const MARKS = 10;

/** A text below a cell: an offset; in red, records that broke a guarantee; or, in bold, that the epoch was fenced. */
interface Foot {
  /** The possible texts, the longest first. */
  words: readonly string[];
  /** The CSS class of the text; "q" for an offset alone. */
  look: "q" | "bad" | "b";
  /** x of the middle of the text, and of the edges within which it lies. */
  middle: number;
  left: number;
  right: number;
}

/** The texts below all cells: offsets, as far as they have room, and in red which records break which guarantee. */
function offsetsOf(lane: LaneOf, window: Window, shown: readonly LogBatchView[], replica: ReplicaView): StageObject {
  const { partition, place } = lane;
  const feet = [replica.last_stable_offset, replica.high_watermark].filter(isBehindRing(lane, replica, window)).map((offset) => window.x(offset));
  const y = place.cells.y + place.cells.height + 15;
  const labels: SVGTemplateResult[] = [];
  let end = Number.NEGATIVE_INFINITY;
  let wasBroken = false;
  const behind = place.box.x + place.box.width - 4;
  for (const foot of shown.flatMap((batch, index) => feetOf(lane, window, batch, replica, index === shown.length - 1 ? behind : null))) {
    const { words, look, middle, left, right } = foot;
    const bad = look !== "q";
    // Names of records keep a distance from other texts, so that they are not taken for part of an offset.
    const air = bad || wasBroken ? MARKS : 4;
    const said = words.find((one) => Math.max(left, end + air) + textWidth(one, 12, bad) <= right) ?? words.at(-1) ?? "";
    const half = textWidth(said, 12, bad) / 2;
    const at = besideFeet(bad ? Math.max(Math.min(middle, right - half), left + half, end + air + half) : middle, half, feet);
    if (at - half < end + air || at + half > behind) continue;
    wasBroken = bad;
    labels.push(text(round(at), y, said, `s12 ${look}`, "middle"));
    end = at + half;
  }
  return { key: `off:${partition}`, x: 0, y: 0, width: 0, height: 0, phase: "effect", depth: DEPTH.body, draw: svg`${labels}`, label: "" };
}

/** The least units between two offsets of one batch. If they would be closer, only the first one is shown. */
const OFFSETS = 10;

/** Whether the leader stored the batch although its epoch was fenced, according to the engine's plan. */
function isOutdated({ frame: { plan, step }, partition }: LaneOf, batch: LogBatchView): boolean {
  return (plan?.outdated ?? []).some((one) => one.step <= (step?.number ?? 0) && one.partition === partition && one.offset === batch.base_offset && one.producer_epoch === batch.producer_epoch);
}

/**
 * The texts below a batch. `behind`: for the newest batch, x of the end of the lane, up to which its texts may reach;
 * null for any other batch.
 */
function feetOf(lane: LaneOf, window: Window, batch: LogBatchView, { batches }: ReplicaView, behind: number | null): Foot[] {
  const { frame } = lane;
  const [broken] = brokenIn(frame, batch, batches);
  const left = window.x(batch.base_offset);
  const end = window.x(batch.last_offset + 1);
  const right = behind ?? Math.max(end, left + window.unit) - 2;
  const first = (offset: number): Foot => {
    const [from, to] = [window.x(offset), window.x(offset + 1)];
    return { words: [String(offset)], look: "q", middle: from + Math.min(to - from, window.unit) / 2, left: from, right: to };
  };
  const all = Array.from({ length: batch.last_offset - batch.base_offset + 1 }, (_, index) => first(batch.base_offset + index));
  const fit = all.every(({ words: [said = ""], left: from, right: to }) => textWidth(said, 12) + OFFSETS <= to - from);
  const middleOf = left + Math.min(end - left, window.unit) / 2;
  if (broken === undefined && isOutdated(lane, batch)) {
    const { base_offset: offset, producer_epoch, serials } = batch;
    const words = [say("stage.offset_outdated", { offset, records: serialsText(serials), producer_epoch }), `${offset} ${serialsText(serials)}`, String(offset)];
    return [{ words, look: "b", middle: middleOf, left, right }];
  }
  if (broken === undefined) return fit ? all : [{ ...first(batch.base_offset), middle: middleOf }];
  const parts = brokenParts(batch, [broken]);
  const [from, last] = parts?.[0] ?? [batch.base_offset, batch.last_offset];
  const offset = parts === null ? String(from) : range(from, last);
  const records = serialsText(broken.serials);
  const isNamed = isAbsent(batch.first_sequence) && recordsIn(batch, end - left - 8) === records;
  const words = underBroken(broken.guarantee, offset, records, isNamed);
  const middle = parts === null ? middleOf : (window.x(from) + window.x(last + 1)) / 2;
  const red: Foot = { words, look: "bad", middle, left, right };
  if (parts === null || !fit) return [red];
  // The offsets of the batch's other records are shown if the red words leave room for them.
  const half = textWidth(words.find((said) => left + textWidth(said, 12, true) <= right) ?? "", 12, true) / 2;
  const at = Math.max(Math.min(middle, right - half), left + half);
  const isFree = ({ words: [said = ""], middle: own }: Foot): boolean => Math.abs(own - at) > half + textWidth(said, 12) / 2 + MARKS;
  const others = all.filter((foot, index) => !parts.some(([one, other]) => batch.base_offset + index >= one && batch.base_offset + index <= other) && isFree(foot));
  return [...others.filter((foot) => foot.middle < at), red, ...others.filter((foot) => foot.middle > at)];
}

/**
 * x of the middle of a label, moved so that the label covers no foot of a gate. `half`: half of its width; `feet`: x of
 * the gates whose feet reach down among the offsets.
 */
function besideFeet(at: number, half: number, feet: readonly number[]): number {
  const foot = feet.find((x) => at - half < x + 9 && at + half > x - 5);
  return foot === undefined ? at : at < foot ? foot - 5 - half : foot + 9 + half;
}

/** Whether a gate at this offset is inside a batch, and so drawn in a way that leaves the cell's text readable. */
function isInside(shown: readonly LogBatchView[], offset: number): boolean {
  return shown.some((batch) => batch.base_offset < offset && offset <= batch.last_offset);
}

/** The gate of this lane that the step is about; null: there is none. */
function ringedGate({ focus, partition }: LaneOf) {
  return focus.kind === "gate" && focus.partition === partition ? (focus.gates[0] ?? null) : null;
}

function gatesOf(lane: LaneOf, replica: ReplicaView, window: Window, shown: readonly LogBatchView[]): StageObject[] {
  const { frame, partition, place } = lane;
  const { cells } = place;
  const names = namesBeside(lane, replica, window, ghostNeeds(frame));
  const same = replica.last_stable_offset === replica.high_watermark;
  const focused = ringedGate(lane);
  const top = place.strip ? 0 : -8;
  const bottom = cells.height + (place.strip ? 0 : 2);
  const isBehind = isBehindRing(lane, replica, window);
  const bars = (offset: number): [number, number][] => (isBehind(offset) ? [[-15, cells.height + 14]] : isInside(shown, offset) && !place.strip ? [[top, 0], [cells.height, bottom + 4]] : [[top, bottom]]);
  const nameY = names.y;
  const objects: StageObject[] = [];
  const gate = (key: string, offset: number, dx: number, draw: SVGTemplateResult, hot: boolean, label: string): void => {
    objects.push({ key: `${key}:${partition}`, x: round(window.x(offset) + dx), y: cells.y, width: 6, height: cells.height, phase: "gate", depth: DEPTH.gate, draw, hot, label });
  };
  const { hw } = names;
  const markHw = focused === "high_watermark" && !same;
  const markLso = focused !== null && !markHw;
  const rim = isInChip(lane) ? nothing : halo(-4.5, -4, 9, cells.height + 6, 2);
  gate("hw", replica.high_watermark, same ? 4 : 0, svg`${markHw ? rim : nothing}${path(bars(replica.high_watermark).map(([from, to]) => `M0,${from}V${to}`).join(""), "hw")}${
    hw === null || place.strip ? nothing : text(hw.x - window.x(replica.high_watermark), nameY, hw.said, "s12 k gl", hw.anchor)}`, markHw,
    say("stage.gate.hw_name", { partition, offset: replica.high_watermark }));
  gate("lso", replica.last_stable_offset, 0, svg`${markLso ? rim : nothing}${
    bars(replica.last_stable_offset).map(([from, to]) => box(-2.5, from, 5, to - from, "lso", 1))}${
    place.strip ? nothing : text(names.lso.x - window.x(replica.last_stable_offset), nameY, names.lso.said, "s12 b gl", names.lso.anchor)}`, markLso,
    say("stage.gate.lso_name", { partition, offset: replica.last_stable_offset }));
  const [name] = names.taken;
  if (place.strip) return [...objects, ...(lane.here.upright && !isInChip(lane) ? phoneParts().rowGates(lane, replica) : [])];
  if (name === undefined) return objects;
  const width = round(name.to - name.from + 6);
  return [...objects, {
    key: `ask:lso:${partition}`, x: round(name.from - 3), y: cells.y + nameY - 13, width, height: 18, phase: "gate", depth: DEPTH.gate,
    draw: svg`<rect class="hit" width=${width} height="18" rx="3"/>`, ask: { question: "lso", subject: partition }, label: say("player.why.gate", { partition }),
  }];
}

/** The text above each range of cells that says why a read_committed consumer does not receive its records yet. */
function reasonsOf(lane: LaneOf, window: Window, stretches: readonly Stretch[], replica: ReplicaView): StageObject[] {
  const { frame, partition, place } = lane;
  const y = place.cells.y - 11;
  const names = namesBeside(lane, replica, window, ghostNeeds(frame));
  const taken = names.arrives === null ? names.taken : [...names.taken, names.arrives];
  const spans = stretches.map((stretch) => ({ stretch, from: window.x(stretch.first), to: window.x(stretch.last + 1) }));
  return spans.flatMap(({ stretch, from, to }): StageObject[] => {
    // The text has only the part of the range that the names of the gates leave free.
    let [left, right] = [from + 3, to - 3];
    for (const name of taken) {
      if (name.to < left || name.from > right) continue;
      if (name.from <= left + (right - left) / 2) left = Math.max(left, name.to + 5);
      else right = Math.min(right, name.from - 5);
    }
    const said = [stretch.long, stretch.medium, stretch.short].find((one) => one !== "" && textWidth(one, 12, true) + 4 <= right - left);
    if (said === undefined) return [];
    const middle = Math.max(left + textWidth(said, 12, true) / 2, Math.min((from + to) / 2, right - textWidth(said, 12, true) / 2));
    const half = textWidth(said, 12, true) / 2 + 4;
    return [{
      key: `why:${partition}:${stretch.first}`, x: 0, y: 0, width: 0, height: 0, phase: "gate", depth: DEPTH.gate, label: stretch.long,
      draw: svg`${middle - half - left > 8 ? path(`M${round(left)},${y + 1}v-5H${round(middle - half)}`, "brace") : nothing}${
        right - middle - half > 8 ? path(`M${round(right)},${y + 1}v-5H${round(middle + half)}`, "brace") : nothing}${
        svg`<text x=${round(middle)} y=${y} text-anchor="middle" class=${`s12 ${stretch.reason === "aborted" || stretch.reason === "not_replicated" ? "q" : "b"}`}><title>${stretch.long}</title>${said}</text>`}`,
    }];
  });
}

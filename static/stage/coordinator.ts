/**
 * Draws a transaction coordinator: the states of one transactional id as a row of pills, the content of its log, its
 * outstanding markers; below them, the offsets of a group. The pill of the current state is black; that of a state that
 * is being written is dashed.
 */

import { nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import { round } from "../diagrams/geometry.ts";
import { isOfPicked, transactionSelection } from "../diagrams/transaction-picked.ts";
import type { GroupView, TransactionView } from "../generated/messages.ts";
import type { CoordinationView } from "../player/whole-view.ts";
import type { Frame, JsonObject, LogBatchView } from "../player/frame.ts";
import { clauses, listed } from "../player/joins.ts";
import { say, words } from "../player/text.ts";
import type { Box, BrokerPlace, Focus, Places, StageObject } from "./contract.ts";
import { DEPTH } from "./depth.ts";
import { decidedBy } from "./decided.ts";
import { box, fitted, fittedText, path, pillWidth, text, textWidth } from "./draw.ts";
import { tagHeight, tagWidth } from "./tag-size.ts";

/**
 * The paths through the engine's machine `transaction_states` of which one is drawn, as its states in order. A test
 * checks that every state is on one.
 */
export const RAILS: readonly (readonly string[])[] = [
  ["Empty", "Ongoing", "PrepareCommit", "CompleteCommit"],
  ["Empty", "Ongoing", "PrepareAbort", "CompleteAbort"],
  ["Empty", "Ongoing", "PrepareEpochFence", "PrepareAbort", "CompleteAbort"],
  ["Empty", "Dead"],
  ["Empty", "Ongoing", "PrepareCommit", "CompleteCommit", "Dead"],
  ["Empty", "Ongoing", "PrepareAbort", "CompleteAbort", "Dead"],
];
export const LOG = /^__transaction_state-/;

/** A transactional id, and the partition of `__transaction_state` that holds its states. */
interface Logged {
  id: string;
  log: string;
}

interface Kept extends Logged {
  entry: TransactionView;
}

/**
 * The path to draw for a transactional id: the first one with all of its known states (`before`, `state`, `pending`).
 * If no path has them all: the first one with its pending or current state, and before it the known states that it
 * lacks.
 */
export function railOf(state: string, pending: string | null, before: string | null): readonly string[] {
  const seen = [before, state, pending].filter((one) => one !== null);
  const whole = RAILS.find((rail) => seen.every((one) => rail.includes(one)));
  if (whole !== undefined) return whole;
  const way = RAILS.find((rail) => rail.includes(pending ?? state)) ?? [];
  const left = seen.filter((one) => !way.includes(one));
  return [...new Set(left), ...way.slice(Math.max(0, way.findIndex((one) => seen.includes(one))))];
}

function keptOf(broker: CoordinationView | undefined): Kept[] {
  return Object.entries(broker?.transactions ?? {}).map(([id, entry]) => ({ id, entry, log: `__transaction_state-${entry.log_partition}` }));
}

/**
 * The transactional id to show: the one that the step is about; else the selected one; else the one that changed last.
 */
function chosen(frame: Frame, focus: Focus, kept: readonly Kept[]): Kept | undefined {
  return kept.find(({ id }) => id === focus.transactional_id)
    ?? kept.find(({ id }) => isOfPicked(frame, { transaction: id }))
    ?? kept.reduce<Kept | undefined>((best, one) => (best === undefined || one.entry.last_update > best.entry.last_update ? one : best), undefined);
}

/**
 * `LOGGED`: units of height from which on the coordinator's place has room for the content of its log; `GROUPED`: the
 * same if the offsets of a group are below.
 */
const LOGGED = 80;
const GROUPED = 94;

export function coordinatorObjects(frame: Frame, here: Places, focus: Focus, name: string, place: NonNullable<BrokerPlace["coordinator"]>): StageObject[] {
  const broker = frame.view.brokers?.[name.replace(/^broker-/, "")];
  const kept = keptOf(broker);
  const own = chosen(frame, focus, kept);
  const { width, height } = place.box;
  const slot = height >= 60;
  const groups = groupLine(broker?.groups, width) ?? (slot ? null : text(12, 14, say("stage.group_none"), "s12 q"));
  const refused = focus.kind === "refused" && focus.actor === name && focus.partition === null;
  const gone = own === undefined ? removedIn(frame, name) : null;
  const label = gone !== null ? say("stage.coordinator.label_removed", { id: gone.id, broker: name, offset: gone.offset })
    : own === undefined ? say("stage.coordinator.idle")
    : here.kind === "log" ? say("stage.coordinator.label_files", { id: own.id, state: own.entry.state })
    : say("stage.coordinator.label", {
      id: own.id, broker: name, state: own.entry.state, pending: own.entry.pending_state ?? say("stage.none"),
    });
  const apart = place.shared === true;
  const tag = railTag(frame, here, focus, name);
  const rail = own === undefined ? nothing : railSvg(frame, focus, name, own, width, apart);
  const named = gone !== null ? removed(gone, width) : own === undefined ? idle(frame, name, width) : headLine(here, name, own, width, apart, broker, tag !== null && here.upright);
  const logged: Logged | null = own ?? gone;
  const selection = own === undefined ? undefined : transactionSelection(own.id);
  return [...(place.of === undefined ? [] : [jointTo(place.box, place.of)]), {
    key: `co:${name}`, ...place.box, phase: "static", depth: DEPTH.body, label, hot: focus.kind === "coordinator" && focus.actor === name,
    draw: svg`${box(0, 0, width, height, apart || here.upright ? "body" : "slot", apart || here.upright ? 8 : 6)}${slot ? svg`${named}${rail}${logged === null || !hasLog(broker?.groups, width, height) ? nothing : logLine(frame, name, logged, kept, width, tag === null || here.upright ? null : tag.box.x - place.box.x)}` : nothing}${
      groups === null ? nothing : svg`<g transform=${`translate(0,${height - 20})`}>${groups}</g>`}${refused ? box(0, 0, width, height, "ring", 6) : nothing}`,
    picked: own !== undefined && isOfPicked(frame, { transaction: own.id }),
    ...(selection === undefined ? {} : { select: selection }),
  }];
}

/** A line from the box of the broker that took over to the place where it is drawn as coordinator. */
function jointTo(at: Box, of: Box): StageObject {
  const [x, from, to] = [of.x, of.y + 14, at.y + at.height / 2];
  return {
    key: "co:way", x: 0, y: 0, width: 0, height: 0, phase: "static", depth: DEPTH.cell, label: "",
    draw: path(`M${x},${from}H${x - 7}V${round(to)}H${at.x}`, "ring"),
  };
}

function idle(frame: Frame, name: string, width: number): SVGTemplateResult {
  const log = logOf(frame, name);
  return svg`${text(12, 20, say("stage.coordinator.idle"), "s13 b")}${fittedText(12, 42,
    log === null ? say("stage.coordinator.unused") : say("stage.coordinator.no_id", { log }), width - 24, 13, { classes: "q", least: 10 })}`;
}

/** The drawing of an id that the coordinator has removed: the last record of its log is the tombstone. */
function removed({ id, offset }: Removed, width: number): SVGTemplateResult {
  return svg`${fittedText(12, 20, say("stage.coordinator.of", { id }), width - 24, 13, { bold: true, classes: "b", least: 9 })}${
    fittedText(12, 47, say("stage.coordinator.removed", { offset }), width - 24, 13, { classes: "k", least: 9 })}`;
}

/** The broker's name in white on black, as on an unfolded broker. */
function hostPill(name: string): { draw: SVGTemplateResult; /** The width of the pill, with the gap after it. */ width: number } {
  const said = textWidth(name, 12, true);
  return { draw: svg`${box(8, 5, said + 12, 18, "tag", 4)}${text(14, 18, name, "s12 b inv")}`, width: round(said) + 16 };
}

/**
 * The layout of the first line, in units: where the producer id and epoch are. `isLong`: whether the transactional id
 * is so long that it has this line alone.
 */
function headLayout(here: Places, name: string, { id, entry }: Kept, width: number, apart: boolean) {
  const who = say("stage.coordinator.of", { id });
  // If several brokers may use the place, it names the broker that uses it now.
  const host = apart ? hostPill(name) : null;
  const from = 12 + (host?.width ?? 0);
  // Before the first InitProducerId takes effect, the id has no epoch (-1), so none is shown.
  const identity = entry.producer_epoch < 0 ? String(entry.producer_id) : `${entry.producer_id}·${entry.producer_epoch}`;
  const pill = round(textWidth(identity, 12, true) + 12);
  const room = width * (here.upright ? 0.66 : 0.6) - pill - (host?.width ?? 0);
  const most = here.upright ? 12 : 13;
  const { size, lines } = fitted(who, room, most, { least: 9, most: 2, bold: true });
  const end = from + Math.max(...lines.map((line) => textWidth(line, size, true))) + 10;
  return { who, host, from, identity, pill, room, most, end, isLong: textWidth(who, 11, true) > room };
}

function headLine(
  here: Places, name: string, own: Kept, width: number, apart: boolean, broker: CoordinationView | undefined, isTagged: boolean,
): SVGTemplateResult {
  const { id, entry } = own;
  const { who, host, from, identity, pill, room, most, end, isLong } = headLayout(here, name, own, width, apart);
  const right = width - 12;
  if (isLong) {
    // A long transactional id has the first line to itself.
    const small = round(textWidth(identity, 11, true) + 10);
    return svg`${host?.draw ?? nothing}${fittedText(from, 11, who, width - 12 - from, 12, { least: 7, bold: true, classes: "b" })}${
      box(from, 14, small, 14, `cell small ${here.hue(entry.producer_id)}`, 3)}${text(from + small / 2, 25, identity, "s11 b", "middle")}${
      markersOrPartitions(broker, id, entry, from + small + 12, right, 25)}`;
  }
  return svg`${host?.draw ?? nothing}${fittedText(from, 19, who, room, most, { least: 9, most: 2, bold: true, classes: "b" })}${
    box(end, 6, pill, 18, `cell small ${here.hue(entry.producer_id)}`, 3)}${text(end + pill / 2, 19, identity, "s12 b", "middle")}${
    isTagged ? nothing : markersOrPartitions(broker, id, entry, end + pill + 12, right)}`;
}

/**
 * The text about a transaction's partitions: while markers are outstanding, which partitions have theirs; before that,
 * which partitions belong to the transaction.
 */
function markersOrPartitions(broker: CoordinationView | undefined, id: string, entry: TransactionView, from: number, right: number, y = 19): SVGTemplateResult {
  const waiting = broker?.markers?.waiting?.[id];
  const partitions = [...new Set([...entry.partitions, ...(waiting?.remaining ?? [])])].sort();
  if (partitions.length === 0) return svg``;
  const done = partitions.filter((partition) => waiting !== undefined && !waiting.remaining.includes(partition));
  const due = partitions.filter((partition) => !done.includes(partition));
  const said = waiting === undefined ? say("stage.coordinator.partitions", { partitions })
    : due.length === 0 ? say("stage.coordinator.markers", { done })
    : done.length === 0 ? say("stage.coordinator.markers_due", { due })
    : say("stage.coordinator.markers_some", { done, due });
  const short = waiting === undefined
    ? say("stage.coordinator.partitions_count", { count: partitions.length })
    : say("stage.coordinator.markers_count", { done: done.length, count: partitions.length });
  const fits = textWidth(said, 12) <= right - from;
  return svg`<g><title>${said}</title>${fittedText(right, y, fits ? said : short, Math.max(40, right - from), fits ? 13 : 12, { least: 9, classes: waiting === undefined ? "k" : "b", anchor: "end" })}</g>`;
}

interface Pill {
  state: string;
  x: number;
  width: number;
}

/** The pills of the states in their order, from left to right. */
function railLayout(frame: Frame, name: string, own: Kept, width: number, apart: boolean): { size: number; gap: number; pills: Pill[] } {
  const { id, entry } = own;
  const transition = frame.step?.transition;
  const stepped = transition?.machine === "transaction_states" && transition.of === id && frame.step?.actor === name;
  // If the id is in its first state again, the path is the one that it took before, according to its log.
  const came = entry.state === RAILS[0]?.[0] && entry.pending_state === null ? lastOn(frame, name, own) : null;
  const rail = railOf(entry.state, entry.pending_state, came ?? (stepped && transition ? transition.from : null));
  const sizes = [13, 12, 11, 10, 9];
  const gapOf = (size: number): number => (size > 12 ? 15 : 11);
  const widthAt = (size: number): number => rail.reduce((sum, state) => sum + pillWidth(state, size, size > 12 ? 16 : 12), 0) + gapOf(size) * (rail.length - 1);
  const size = sizes.find((one) => widthAt(one) <= width - 24) ?? 9;
  const gap = gapOf(size);
  let x = apart || width < 400 ? 8 : 12;
  const pills = rail.map((state): Pill => {
    const pill = { state, x, width: pillWidth(state, size, size > 12 ? 16 : 12) };
    x += pill.width + gap;
    return pill;
  });
  return { size, gap, pills };
}

function railSvg(frame: Frame, focus: Focus, name: string, own: Kept, width: number, apart: boolean): SVGTemplateResult {
  const { id, entry } = own;
  const { size, gap, pills } = railLayout(frame, name, own, width, apart);
  return svg`${pills.map(({ state, x, width: wide }, index) => {
    const now = focus.kind === "coordinator" && focus.transactional_id === id && focus.actor === name && focus.state === state;
    const on = entry.state === state;
    const pending = !on && entry.pending_state === state;
    const again = on && entry.pending_state === state;
    const arrow = index === 0 ? nothing : path(`M${round(x - gap + 3)},43h${gap - 7}m-4,-3.5l4,3.5l-4,3.5`, "rail");
    return svg`${arrow}${box(x, 30, wide, 26, `pill${on ? " on" : pending ? " pend" : ""}${now ? " now" : ""}`, 13)}${
      again && !now ? box(x - 3, 27, wide + 6, 32, "pill again", 16) : nothing}${
      text(x + wide / 2, 47.5, state, `s${size} ${on ? "inv" : now || pending ? "b" : ""}${now ? " now" : ""}`, "middle")}`;
  })}`;
}

/**
 * The text, size and box of the step's tag if it is inside the coordinator's place: below the pill of the state, beside
 * the content of the log; on a phone at the end of the first line. Null if the step is not about this coordinator, or
 * if the tag has no room there.
 */
export function railTag(frame: Frame, here: Places, focus: Focus, name: string): { said: string; size: number; box: Box } | null {
  const place = here.brokers[name]?.coordinator;
  if (place == null || focus.tag === null || focus.actor !== name || focus.partition !== null || (focus.kind !== "coordinator" && focus.kind !== "refused")) return null;
  // A tag with compared values stands over the coordinator instead.
  if (focus.compared.length > 0 && decidedBy(frame, focus) === null) return null;
  const broker = frame.view.brokers?.[name.replace(/^broker-/, "")];
  const kept = keptOf(broker);
  const own = chosen(frame, focus, kept);
  if (own === undefined || broker?.alive === false) return null;
  const at = place.box;
  const apart = place.shared === true;
  const said = [focus.tag.key, `${focus.tag.key}_short`].filter((key) => words.knows(key)).map((key) => say(key, focus.tag?.params));
  const tries = (here.upright ? [13, 12] : [15, 13, 12]).flatMap((size) => said.map((one) => ({ said: one, size, width: tagWidth(one, size), height: Math.min(24, tagHeight(size)) })));
  if (here.upright) {
    const { end, pill, isLong } = headLayout(here, name, own, at.width, apart);
    const found = isLong ? undefined : tries.find(({ width }) => end + pill + 10 + width <= at.width - 6);
    return found === undefined ? null : { said: found.said, size: found.size, box: { x: at.x + at.width - 6 - found.width, y: at.y + 3, width: found.width, height: found.height } };
  }
  if (!hasLog(broker?.groups, at.width, at.height)) return null;
  const from = 12 + textWidth(own.log, 12) + 8 + LEAST_LOG;
  const more = othersText(kept, own.id);
  const right = at.width - 10 - (more === null ? 0 : othersWidth(more, at.width));
  const found = tries.find(({ width }) => from + width + NEWEST_ENTRY <= right) ?? tries.find(({ width }) => from + width <= right);
  if (found === undefined) return null;
  const entries = loggedOf(frame, name, own).reduce((sum, batch) => sum + entryWidth(batch, own.id) + 2, 0);
  // The tag begins after the log's entries, as far as its own width allows.
  const least = Math.min(from - LEAST_LOG + Math.max(LEAST_LOG + NEWEST_ENTRY, entries + BESIDE_LOG), right - found.width);
  const pill = railLayout(frame, name, own, at.width, apart).pills.find(({ state }) => state === focus.state);
  const middle = pill === undefined ? right : pill.x + pill.width / 2;
  const x = Math.max(least, Math.min(middle - found.width / 2, right - found.width));
  return { said: found.said, size: found.size, box: { x: round(at.x + x), y: round(at.y + 71.5 - found.height / 2), width: found.width, height: found.height } };
}

/** px between the last entry of a log and the tag or words after it. */
const BESIDE_LOG = 34;
/** The least units of the log's line that a tag leaves for entries. */
const LEAST_LOG = 74;
/** The units that a tag leaves in addition, if possible, for the newest entry, which the step is about. */
const NEWEST_ENTRY = 44;

function hasLog(groups: Record<string, GroupView> | undefined, width: number, height: number): boolean {
  return height >= (groupLine(groups, width) === null ? LOGGED : GROUPED);
}

const othersWidth = (said: string, width: number): number => Math.min(textWidth(said, 12), width * 0.42) + 16;

function logOf(frame: Frame, name: string): string | null {
  const id = name.replace(/^broker-/, "");
  const led = Object.entries(frame.view.partitions ?? {}).find(([partition, { leader }]) => LOG.test(partition) && String(leader) === id);
  return led?.[0] ?? null;
}

interface Removed extends Logged {
  /** The offset of the tombstone. */
  offset: number;
}

/**
 * The transactional id that a coordinator removed last: its tombstone is the last record of the log that the
 * coordinator leads. Null if the last record is no tombstone.
 */
function removedIn(frame: Frame, name: string): Removed | null {
  const log = logOf(frame, name);
  const newest = log === null ? undefined : batchesOf(frame, name, log).at(-1);
  const id = newest?.content?.keys.at(-1);
  return log === null || newest === undefined || id === undefined || imageState(newest, keyOf(id)) !== null ? null : { id: keyOf(id), log, offset: newest.base_offset };
}

/** The batches of a coordinator's log, oldest first. */
function batchesOf(frame: Frame, name: string, log: string): LogBatchView[] {
  const replica = frame.view.partitions?.[log]?.replicas[name.replace(/^broker-/, "")];
  return Object.values(replica?.batches ?? {}).sort((one, other) => one.base_offset - other.base_offset);
}

/** The batches of a coordinator's log that hold a given id. */
function loggedOf(frame: Frame, name: string, own: Logged): LogBatchView[] {
  return batchesOf(frame, name, own.log).filter((batch) => isOf(batch, own.id));
}

/**
 * The newest state in an id's log that is on some paths of RAILS but not on all, and so tells them apart; null: none.
 */
function lastOn(frame: Frame, name: string, own: Kept): string | null {
  const isOfOne = (state: string | null): state is string => state !== null && RAILS.some((rail) => rail.includes(state)) && !RAILS.every((rail) => rail.includes(state));
  return loggedOf(frame, name, own).map((batch) => imageState(batch, own.id)).findLast(isOfOne) ?? null;
}

/** The drawing of the entries of an id in its log. `tag`: x of the step's tag, before which they end; null: no tag. */
function logLine(frame: Frame, name: string, own: Logged, kept: readonly Kept[], width: number, tag: number | null): SVGTemplateResult {
  const { id, log } = own;
  const replica = frame.view.partitions?.[log]?.replicas[name.replace(/^broker-/, "")];
  const more = othersText(kept, id);
  const moreWidth = more === null ? 0 : othersWidth(more, width);
  const batches = loggedOf(frame, name, own);
  const from = 12 + textWidth(log, 12) + 8;
  const { shown, earlier, said: words } = newestIn(batches, id, (tag === null ? width - 16 - moreWidth : tag - 8) - from);
  let x = from;
  const before = earlier === 0 ? nothing : svg`<g><title>${say("stage.earlier_name", { count: earlier })}</title>${text(x, 75, words, "s12 q")}</g>`;
  if (earlier > 0) x += textWidth(words, 12) + 6;
  const high = replica?.high_watermark ?? 0;
  return svg`${text(12, 75, log, "s12 q")}${before}${shown.map(({ batch, said, width: wide }) => {
    const cell = svg`${box(x, 63, wide, 17, batch.base_offset >= high ? "pill pend" : "pill", 2)}${text(x + wide / 2, 76, said, "s12 k", "middle")}`;
    x += wide + 2;
    return cell;
  })}${more === null ? nothing : fittedText(width - 12, 75, more, moreWidth - 16, 12, { least: 9, classes: "q", anchor: "end" })}`;
}

interface Entry {
  batch: LogBatchView;
  said: string;
  width: number;
}

/**
 * The newest entries of an id that fit in `room` units, and the number of earlier ones. `said`: the text with that
 * number, a short one if the long one leaves no room for the newest entry.
 */
function newestIn(batches: readonly LogBatchView[], id: string, room: number): { shown: Entry[]; earlier: number; said: string } {
  const newest: (Entry & { taken: number })[] = [];
  let taken = 0;
  for (const batch of batches.toReversed()) {
    const width = entryWidth(batch, id);
    taken += width + 2;
    if (taken > room) break;
    newest.push({ batch, said: shortState(imageState(batch, id)), width, taken });
  }
  for (const key of ["stage.coordinator.earlier", "stage.earlier"]) {
    for (let count = newest.length; count > 0; count -= 1) {
      const earlier = batches.length - count;
      const said = earlier === 0 ? "" : say(key, { count: earlier });
      const wide = (newest[count - 1]?.taken ?? 0) + (earlier === 0 ? 0 : textWidth(said, 12) + 6);
      if (wide <= room) return { shown: newest.slice(0, count).reverse(), earlier, said };
    }
  }
  return { shown: [], earlier: batches.length, said: batches.length === 0 ? "" : say("stage.earlier", { count: batches.length }) };
}

const entryWidth = (batch: LogBatchView, id: string): number => round(textWidth(shortState(imageState(batch, id)), 12) + 8);

/** The state of an id in its newest record of a batch; null: that is a tombstone, or the batch has no record of it. */
export function imageState(batch: LogBatchView, id: string): string | null {
  const at = (batch.content?.keys ?? []).findLastIndex((key) => keyOf(key) === id);
  const image = batch.content?.values[at];
  return typeof image === "object" && image !== null && !Array.isArray(image) ? String((image as JsonObject)["state"]) : null;
}

export function keyOf(key: unknown): string {
  if (typeof key === "object" && key !== null && "transactional_id" in key) return String((key as JsonObject)["transactional_id"]);
  return String(key);
}

function isOf(batch: LogBatchView, id: string): boolean {
  return (batch.content?.keys ?? []).some((key) => keyOf(key) === id);
}

function shortState(state: string | null): string {
  return state === null ? "∅" : state.replace("Complete", "Compl").replace("Prepare", "Prep");
}

function othersText(kept: readonly Kept[], id: string): string | null {
  const others = kept.filter((one) => one.id !== id);
  const [first] = others;
  if (first === undefined) return null;
  return others.length === 1 ? `${first.id} ${first.entry.state}` : say("stage.coordinator.others", { count: others.length });
}

/** The offsets of all groups: the committed ones, and those pending in open transactions; null if there is no group. */
function groupLine(groups: Record<string, GroupView> | undefined, width: number): SVGTemplateResult | null {
  const entries = Object.entries(groups ?? {});
  if (entries.length === 0) return null;
  const said = clauses(entries.map(([group, view]) => {
    const committed = Object.entries(view.committed ?? {}).map(([partition, { offset }]) => `${partition} ${offset}`);
    const pending = Object.values(view.pending ?? {}).flatMap((offsets) => Object.entries(offsets).map(([partition, { offset }]) => `${partition} ${offset}`));
    const words = say("stage.group", { group, committed: committed.length === 0 ? say("stage.none") : listed(committed) });
    return pending.length === 0 ? words : `${words} ${say("stage.group_pending", { pending: listed(pending) })}`;
  }));
  return svg`<g><title>${said}</title>${fittedText(12, 14, said, width - 24, 12, { least: 9, classes: "k" })}</g>`;
}

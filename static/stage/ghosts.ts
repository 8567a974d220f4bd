/**
 * Makes the objects that a step adds to the lanes: an arriving batch that is already stored, a refused batch, the card
 * with the compared numbers, the ring around the subject, the arrow of a copy that a follower fetches, and the path of
 * a gate. Pure.
 */

import { nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import { identity, range } from "../diagrams/batch.ts";
import { clamp, overlap, round, wrap } from "../diagrams/geometry.ts";
import { numbersArrived } from "../diagrams/lane-arrived.ts";
import type { Frame, LogBatchView, ReplicaView, Selection } from "../player/frame.ts";
import { sentences } from "../player/joins.ts";
import { say } from "../player/text.ts";
import type { Box, BrokerPlace, Focus, LanePlace, Layer, Places, StageObject, Window } from "./contract.ts";
import { cornersOf, wholeOf, windowOf } from "./contract.ts";
import { box, cellType, halo, path, text, textWidth } from "./draw.ts";
import { countsText, decidedBy } from "./decided.ts";
import { RING_INSIDE, ghostNeeds, namesBeside } from "./gate-names.ts";
import type { Name } from "./gate-names.ts";
import { SEQ, saysSeq } from "./lanes.ts";
import { phoneParts } from "./later.ts";
import { networkOf } from "./network.ts";
import { ARRIVAL } from "./places-desk.ts";
import { hueIn } from "../diagrams/instance.ts";

/** A lane with its leader's log and the offsets that it shows. */
export interface Shown {
  broker: BrokerPlace;
  lane: LanePlace;
  replica: ReplicaView;
  window: Window;
}

/** The lane that the step is about, with the log of the broker in whose box it is drawn; null: there is none. */
export function shownLane(frame: Frame, here: Places, focus: Focus): Shown | null {
  const { actor, partition } = focus;
  if (partition === null) return null;
  const leader = frame.view.partitions?.[partition]?.leader;
  const name = here.brokers[actor ?? ""]?.lanes[partition] !== undefined ? (actor as string) : `broker-${leader}`;
  const broker = here.brokers[name];
  const lane = broker?.lanes[partition];
  const replica = frame.view.partitions?.[partition]?.replicas[name.replace("broker-", "")];
  if (broker === undefined || lane === undefined || replica === undefined) return null;
  return { broker, lane, replica, window: windowOf(lane, replica.log_start, replica.log_end, replica.batches) };
}

/** The box of a stored batch; null if the batch is before the offsets that are shown. */
export function cellBox({ lane, window }: Shown, batch: Pick<LogBatchView, "base_offset" | "last_offset">): Box | null {
  if (batch.last_offset < window.first) return null;
  const first = Math.max(batch.base_offset, window.first);
  const x = window.x(first);
  return { x, y: lane.cells.y, width: window.x(batch.last_offset + 1) - x, height: lane.cells.height };
}

interface Look {
  depth?: number;
  phase?: StageObject["phase"];
  label?: string;
  hot?: boolean;
  select?: Selection;
}

export function object(key: string, at: Box, draw: SVGTemplateResult, { depth = 5, phase = "compare", label = "", hot = true, select }: Look = {}): StageObject {
  const { x, y, width, height } = at;
  return { key, x: round(x), y: round(y), width: round(width), height: round(height), phase, depth, draw, label, hot, ...(select === undefined ? {} : { select }) };
}

/** Units between a gate at a cell's edge and the ring inside it. */
const ASIDE = 10;

/** The ring around a batch. In a wide cell, it is inside the gates at the edges, so that these stay visible. */
function ringOf({ replica, window }: Shown, at: Box): StageObject {
  const gates = [replica.high_watermark, replica.last_stable_offset].map((offset) => window.x(offset));
  const near = (x: number): boolean => at.width >= RING_INSIDE && gates.some((gate) => Math.abs(gate - x) < 1);
  const [left, right] = [near(at.x) ? ASIDE : 0, near(at.x + at.width) ? ASIDE : 0];
  return ring("ring:batch", { ...at, x: at.x + left, width: at.width - left - right });
}

/**
 * The object of the step's yellow ring around a batch, drawn over neighbouring objects. Other layers draw the rings of
 * components, gates and consumers.
 */
function ring(key: string, at: Box, radius = 5): StageObject {
  return object(key, at, halo(-1, -2, at.width + 2, at.height + 3.5, radius), { phase: "effect" });
}

export const ghostLayer: Layer = (frame, here, focus) => {
  const objects: StageObject[] = [];
  const shown = shownLane(frame, here, focus);
  if (shown !== null) objects.push(...laneGhosts(frame, here, focus, shown));
  if (focus.kind === "copy") objects.push(...copyArrow(frame, here, focus));
  const compared = cardOf(frame, here, focus);
  return compared === null ? objects : [...objects, compared];
};

/**
 * The card in the network: the comparison, or the text about what a client cannot know; null if the step has neither.
 */
export function cardOf(frame: Frame, here: Places, focus: Focus): StageObject | null {
  return comparison(frame, here, focus, shownLane(frame, here, focus)) ?? doubtCard(frame, here, focus);
}

function laneGhosts(frame: Frame, here: Places, focus: Focus, shown: Shown): StageObject[] {
  const { replica } = shown;
  const stored = focus.offset === null ? undefined : replica.batches[String(focus.offset)];
  const at = stored === undefined ? null : cellBox(shown, stored);
  switch (focus.kind) {
    case "duplicate":
      return at === null ? pinned(frame, here, focus, shown) : [...arriving(frame, here, focus, shown, at), ringOf(shown, at)];
    case "refused":
      return refusedWith(refusedGhost(frame, here, focus, shown), shown, at);
    case "append":
      return at === null ? [] : [ringOf(shown, at)];
    case "gate":
      return gateWay(frame, focus, shown);
    default:
      return [];
  }
}

/** The objects, with the ring of the compared batch, unless the drawing of the arriving batch covers that batch. */
function refusedWith(ghosts: StageObject[], shown: Shown, at: Box | null): StageObject[] {
  return at === null || ghosts.some((ghost) => overlap(ghost, at)) ? ghosts : [...ghosts, ringOf(shown, at)];
}

/**
 * The compared batch, if it is before the offsets that the lane draws: at the beginning of the lane, with its offset.
 */
function pinned(frame: Frame, here: Places, focus: Focus, shown: Shown): StageObject[] {
  const { lane } = shown;
  const { who, sequences, hue } = numbersOf(frame, focus.partition);
  const [small, large] = cellType(lane.cells.height);
  const width = Math.max(46, round(textWidth(sequences, large, true) + 14), round(textWidth(who ?? "", small) + 12));
  const at: Box = { x: lane.cells.x, y: lane.cells.y, width, height: lane.cells.height };
  const edge = `M${width + 9},-4l-4,${at.height / 4}l4,${at.height / 4}l-4,${at.height / 4}l4,${at.height / 4 + 8}`;
  const cell = object("pinned", at, svg`${box(-4, -5, width + 12, at.height + 26, "behind", 0)}${path(edge, "rail")}${
    box(1, 0, width - 2, at.height, `cell ${hue(here)}`, 3)}${text(width / 2, at.height * 0.36, who ?? "", `s${small} k`, "middle")}${
    seqText(here, shown, width, at.height * 0.8, sequences, large)}${text(width / 2, at.height + 15, String(focus.offset ?? ""), "s12 q", "middle")}`, { phase: "compare" });
  return [cell, ...arriving(frame, here, focus, shown, at), ring("ring:batch", at)];
}

interface Numbers {
  who: string | null;
  /** The classes of the colour of the batch's producer. */
  hue: (here: Places) => string;
  sequences: string;
}

/** The numbers of the batch that arrived at this partition, as the engine reports them. */
function numbersOf(frame: Frame, partition: string | null): Numbers {
  const arrived = numbersArrived(frame.step, partition);
  const id = arrived["producer_id"] ?? null;
  const [first, last] = [arrived["first_sequence"], arrived["last_sequence"]] as (number | null | undefined)[];
  return {
    hue: (here) => hueIn(frame.view, here, id, arrived["producer_epoch"] as number | null), who: identity(id, arrived["producer_epoch"]),
    sequences: first == null || first < 0 ? "" : range(first, last ?? first),
  };
}

/** The sequences in the middle of a cell, with the word before them if the cells of the lane have it. */
function seqText(here: Places, { lane, replica, window }: Shown, width: number, y: number, sequences: string, size: number, rim = ""): SVGTemplateResult {
  const word = `${say("stage.seq")} `;
  const fits = sequences !== "" && textWidth(word, SEQ) + textWidth(sequences, size, true) <= width - 8;
  const isWorded = fits && saysSeq(here, lane, window, Object.values(replica.batches).filter((batch) => batch.last_offset >= window.first));
  return svg`<text x=${width / 2} y=${round(y)} text-anchor="middle" class=${`s${size} b${rim}`}>${isWorded ? svg`<tspan class=${`s${SEQ} k`}>${word}</tspan>` : nothing}${sequences}</text>`;
}

/**
 * In units. `OVER`: the most from the top of the arriving batch to the top of the cells. `BARS`: of these, the height
 * of the bars that join the two batches. `GHOST`: the height that the arriving batch gets before the bars get more than
 * their least.
 */
const OVER = 40;
const BARS = { least: 10, most: 16 };
const GHOST = 24;
/** Height of a broker's name over its lanes, in units. */
const HEAD = 24;

/** The arriving batch over the stored batch with the same numbers, joined to it by two bars as an equals sign. */
function arriving(frame: Frame, here: Places, focus: Focus, shown: Shown, first: Box): StageObject[] {
  const { lane, replica, window } = shown;
  const { who, sequences, hue } = numbersOf(frame, focus.partition);
  const names = namesBeside({ here, focus, partition: focus.partition ?? "", place: lane }, replica, window, ghostNeeds(frame));
  const { from, to } = names.arrives ?? { from: first.x + 1, to: first.x + Math.max(first.width - 1, 35) };
  const width = round(to - from);
  const said = say("stage.ghost.arrives", { identity: who ?? "", sequences });
  const same = say("stage.ghost.same");
  const over = Math.max(28, Math.min(OVER, lane.cells.y - wholeOf(shown.broker).y - HEAD));
  const bars = clamp(over - GHOST, BARS.least, BARS.most);
  const ghost = over - bars;
  const place = { x: from, y: lane.cells.y - over, width, height: ghost };
  const middle = round((Math.max(from, first.x) + Math.min(to, first.x + first.width)) / 2 - from);
  return [object("ghost", place, svg`${box(-1, -1, width + 2, over - 2, "behind", 3)}${box(0, 0, width, ghost, `cell ${hue(here)}`, 3)}${
    seqText(here, shown, width, ghost / 2 + 5.5, sequences, 15)}${path(`M${middle - 4},${ghost}v${bars - 2}M${middle + 4},${ghost}v${bars - 2}`, "equal")}${
    besideGhost(lane, { ...names, offsets: offsetsOver(shown) }, { x: round(to - from) + 10, from, top: -over }, [said, say("stage.ghost.arrives_plain", { records: sequences })])}`, { label: `${said}. ${same}.` })];
}
/**
 * y of the baselines of the offsets under the broker's other lanes of full size, measured from the top of the cells of
 * `lane`. The words beside the arriving batch must not touch these offsets.
 */
function offsetsOver({ broker, lane }: Shown): number[] {
  return Object.values(broker.lanes).filter((other) => other !== lane && !other.strip).map(({ cells }) => cells.y + cells.height + 15 - lane.cells.y);
}

/** The words beside the arriving batch: `y`, their baseline from the batch's top, and their height. In units. */
const BESIDE = { y: 10, height: 12 };

/**
 * The words about the arriving batch in one line beside it, if they have room within the lane and between the names of
 * the gates; else nothing. They say neither its producer, which the compared batch shows, nor that the numbers are the
 * same, which the tag says.
 */
function besideGhost({ box: lane }: LanePlace, names: { y: number; taken: Name[]; offsets: readonly number[] }, { x, from, top }: { x: number; from: number; top: number }, arrives: readonly string[]): SVGTemplateResult {
  const [start, y] = [from + x, top + BESIDE.y];
  const fits = (said: string): boolean => {
    const end = start + textWidth(said, 13, true);
    const meets = names.taken.some((name) => Math.abs(y - names.y) < BESIDE.height && start < name.to + 3 && end > name.from - 3);
    return end <= lane.x + lane.width - 8 && !meets && !names.offsets.some((other) => Math.abs(y - other) < BESIDE.height);
  };
  const said = arrives.find(fits);
  return said === undefined ? svg`` : text(x, BESIDE.y, said, "s13 b gl");
}

/** Units from the end of the log, where gates may stand, to a refused batch. */
const GAP = 16;

/** A refused batch after the end of the log, where it would have been appended, crossed out. */
function refusedGhost(frame: Frame, here: Places, focus: Focus, shown: Shown): StageObject[] {
  const { lane, replica, window } = shown;
  const { who, sequences, hue } = numbersOf(frame, focus.partition);
  const { y, height, unit } = lane.cells;
  const said = say("stage.ghost.not_stored");
  const [small, large] = cellType(height);
  const width = round(Math.max(Math.min(unit, ARRIVAL - GAP), 58, textWidth(who ?? "", small) + 14));
  const end = lane.cells.x + lane.cells.width;
  const x = Math.min(window.x(replica.log_end) + GAP, end - width);
  const isOver = x < window.x(replica.log_end) + 8;
  const inside = svg`${isOver ? box(-3, -4, width + 6, height + 22, "behind", 2) : svg``}${box(0, 0, width, height, `cell open ghost ${hue(here)}`, 3)}${path(`M5,5L${width - 5},${height - 5}M${width - 5},5L5,${height - 5}`, "cross bad")}${
    text(width / 2, height * 0.36, who ?? "", `s${small} k rim`, "middle")}${seqText(here, shown, width, height * 0.8, sequences, large, " rim")}${
    text(width / 2, height + 14, said, "s12 bad", "middle")}`;
  return [object("ghost", { x, y, width, height }, inside, { label: said })];
}

/** The old place of the gate that moved in this step, and its path to the new place; empty if none moved. */
function gateWay(frame: Frame, focus: Focus, { lane, replica, window }: Shown): StageObject[] {
  const [gate] = focus.gates;
  const before = frame.previousView?.partitions?.[focus.partition ?? ""]?.replicas[String(frame.view.partitions?.[focus.partition ?? ""]?.leader)];
  if (gate === undefined || before === undefined || before[gate] < window.first || before[gate] === replica[gate]) return [];
  const [from, to] = [window.x(before[gate]), window.x(replica[gate])];
  const top = lane.cells.y - 9;
  const width = to - from;
  const head = Math.sign(width) * 5;
  return [object("way", { x: from, y: top, width: Math.abs(width), height: lane.cells.height + 10 },
    svg`${path(`M0,1V${lane.cells.height + 10}`, "gatewas")}${Math.abs(width) < 24 ? svg`` : path(`M6,${lane.cells.height + 12}H${round(width - 6)}m${-head},-4l${head},4l${-head},4`, "rail")}`,
    { depth: 2, phase: "gate", hot: false })];
}

/** The arrow from the leader's lane to the follower that copies from it. */
function copyArrow(frame: Frame, here: Places, focus: Focus): StageObject[] {
  const leader = frame.view.partitions?.[focus.partition ?? ""]?.leader;
  const [from, to] = [here.brokers[`broker-${leader}`], here.brokers[focus.actor ?? ""]];
  if (from === undefined || to === undefined || from === to) return [];
  if (from.rows !== undefined && to.rows !== undefined) return [copyOver(from.box, to.box, here)];
  const lane = from.lanes[focus.partition ?? ""];
  const x = from.box.x;
  const [y0, y1] = [lane?.port[1] ?? from.coordinator?.port[1] ?? from.port[1], to.box.y + 14];
  const far = x - 44;
  return [object("copy", { x: 0, y: 0, width: 0, height: 0 }, svg`${path(`M${x},${y0}C${far},${y0} ${far},${y1} ${x - 4},${y1}`, "trail thin")}${
    path(`M${x - 9},${y1 - 5}l8,5l-8,5`, "trail thin")}`, { depth: 0, phase: "effect", hot: false })];
}

/** On a phone, the arrow of a copy runs from one small box to the other. */
function copyOver(from: Box, to: Box, here: Places): StageObject {
  const [x0, y0, x1, y1] = [from.x + from.width / 2, from.y, to.x + to.width / 2, to.y];
  const over = Math.min(38, here.network.height - 4);
  return object("copy", { x: 0, y: 0, width: 0, height: 0 }, svg`${path(`M${round(x0)},${y0}C${round(x0)},${y0 - over} ${round(x1)},${y1 - over} ${round(x1)},${y1 - 4}`, "trail thin")}${
    path(`M${round(x1 - 5)},${y1 - 9}l5,8l5,-8`, "trail thin")}`, { depth: 0, phase: "effect", hot: false });
}

const CARD = { width: 244, pad: 10, line: 16, row: 17 };

/**
 * The card with the rule that decided and the arrived and stored numbers. Null if no rule decided, or if the network
 * has no room for it.
 */
function comparison(frame: Frame, here: Places, focus: Focus, shown: Shown | null): StageObject | null {
  const decided = decidedBy(frame, focus);
  if (decided === null) return null;
  if (here.upright) return phoneParts().comparison(frame, here, focus, decided);
  const { by, rule, sentence, answer } = decided;
  const width = Math.min(CARD.width, here.network.width - 16);
  const lines = wrap(sentences([sentence, answer]), width - 2 * CARD.pad, 13, true, textWidth);
  const counts = countsText(decided);
  // If the card does not fit with all numbers, it has only the numbers that differ; else only the rule, whose sentence
  // has numbers, too.
  const differing = decided.fields.filter(({ arrived, stored }) => arrived !== stored).slice(0, 2);
  const off = decided.off.flatMap((one) => wrap(one, width - 2 * CARD.pad, 12, false, textWidth));
  const contents = [{ fields: decided.fields, notes: [...off, counts] }, { fields: decided.fields, notes: off }, ...(differing.length > 0 ? [{ fields: differing, notes: off }] : []), { fields: [], notes: off }, { fields: [], notes: [] }];
  const tries = contents.map(({ fields, notes: all }) => {
    const notes = all.filter((note) => note !== "");
    const height = 26 + lines.length * CARD.line + 8 + (fields.length > 0 ? CARD.row * (fields.length + 1) : -4) + notes.length * CARD.line + 4;
    return { fields, notes, height, ...freePlace(frame, here, focus, { width, height }, shown?.lane.port[1] ?? here.height / 2) };
  });
  const { fields, notes, height, x, y } = tries.find(({ covers }) => covers <= 2) ?? tries.reduce((best, one) => (one.covers < best.covers ? one : best));
  const at = { x, y };
  const table = 34 + lines.length * CARD.line;
  const [arrivedX, storedX] = [width - CARD.pad - Math.max(62, ...fields.map(({ stored }) => textWidth(stored, 13, true) + 12)), width - CARD.pad];
  const drawn = svg`${box(0, 0, width, height, "card", 6)}${text(CARD.pad, 18, say("diagram.decision.by", { by }), "s13 b")}${
    text(width - CARD.pad, 18, rule, "s12 q", "end")}${lines.map((line, number) => text(CARD.pad, 37 + number * CARD.line, line, "s13 b"))}${fields.length === 0 ? svg`` : svg`${
    path(`M${CARD.pad},${table - 6}H${width - CARD.pad}`, "hair")}${
    text(arrivedX, table + 8, say("diagram.decision.arrived"), "s12 q", "end")}${text(storedX, table + 8, say("diagram.decision.stored"), "s12 q", "end")}`}${
    fields.map(({ name, arrived, stored }, number) => {
      const y = table + 8 + (number + 1) * CARD.row;
      const differs = stored !== "–" && arrived !== stored;
      return svg`${text(CARD.pad, y, name, "s12 k")}${text(arrivedX, y, arrived, differs ? "s13 b" : "s13 k", "end")}${text(storedX, y, stored, differs ? "s13 b" : "s13 k", "end")}`;
    })}${notes.map((note, number) => text(CARD.pad, height - 9 - (notes.length - 1 - number) * CARD.line, note, number < off.length ? "s12 k" : "s12 q"))}`;
  const label = say("stage.ghost.compare_name", { by, rule: sentence, answer });
  return object("compare", { ...at, width, height }, drawn, { phase: "compare", depth: 4, label, hot: false });
}

/** The card in the network with what a client cannot know from now on; null if the step leaves nothing in doubt. */
export function doubtCard(frame: Frame, here: Places, focus: Focus): StageObject | null {
  if (focus.doubt === null || here.upright) return null;
  const client = here.clients[String(focus.doubt.params["client"])];
  if (client === undefined) return null;
  const said = say(focus.doubt.key, focus.doubt.params);
  const most = Math.min(CARD.width, here.network.width - 16);
  const lines = wrap(said, most - 2 * CARD.pad, 15, true, textWidth);
  const width = round(Math.max(...lines.map((line) => textWidth(line, 15, true))) + 2 * CARD.pad + 4);
  const height = lines.length * 19 + 14;
  // The card is below the messages, because the tag of the lost message is beside that message.
  const lowest = Math.max(client.box.y, ...networkOf(frame, here, focus).flights.filter(({ wire }) => !wire.short).map(({ box: one }) => one.y + one.height));
  const { x, y } = freePlace(frame, here, focus, { width, height }, lowest + 20 + height / 2);
  return object("compare", { x, y, width, height }, svg`${box(0, 0, width, height, "card", 6)}${
    lines.map((line, index) => text(width / 2, 21 + index * 19, line, "s15 b", "middle"))}`, { phase: "tag", depth: 4, label: said, hot: false });
}

/**
 * The place of a card of this size in the network: where it covers least of messages, and of such places the one whose
 * middle is nearest to y = `near`. `covers`: by how many units of height it covers messages.
 */
export function freePlace(frame: Frame, here: Places, focus: Focus, size: { width: number; height: number }, near: number): { x: number; y: number; covers: number } {
  const { network } = here;
  const x = round(network.x + (network.width - size.width) / 2);
  const { flights, bundles } = networkOf(frame, here, focus);
  const taken = [...[...flights, ...bundles].map(({ box: one }) => one), ...cornersOf(here)];
  // The card begins below the name of the network's column; a phone has no such names.
  const top = network.y + (here.upright ? 3 : HEAD);
  let best = { y: top, cost: Number.POSITIVE_INFINITY, covers: Number.POSITIVE_INFINITY };
  for (let y = top; y + size.height <= network.y + network.height - 2; y += 3) {
    const at: Box = { x, y, ...size };
    const covers = taken.filter((one) => overlap(one, at)).reduce((sum, one) => sum + meets(one, at), 0);
    const touches = taken.filter((one) => overlap(one, { ...at, y: y - AIR, height: size.height + 2 * AIR })).length;
    const cost = covers * 1000 + touches * 1000 + Math.abs(y + size.height / 2 - near);
    if (cost < best.cost) best = { y, cost, covers };
  }
  return { x, y: best.y, covers: best.covers };
}

/** Units that a card keeps from a message if there is room. */
const AIR = 6;

/** Height of the overlap of two boxes, in units. */
function meets(one: Box, other: Box): number {
  return Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
}

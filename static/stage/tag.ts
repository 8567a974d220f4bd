/**
 * Makes the tag, the only label of a step, which says the step's result. It is black, or red if something is refused,
 * lost or broken. Pure.
 *
 * The tag is beside its subject. Of the places for its kind, it gets the first one that is free, else the nearest free
 * place. If no place is free, there is no tag.
 */

import { nothing, svg } from "lit";
import { leaderLog } from "../diagrams/leader-log.ts";
import { round } from "../diagrams/geometry.ts";
import { fieldName } from "../diagrams/field-words.ts";
import type { Frame, Json } from "../player/frame.ts";
import { errorTerm } from "../player/terms.ts";
import { facts, named } from "../player/joins.ts";
import { formatValue, say } from "../player/text.ts";
import type { Box, BrokerPlace, Focus, Layer, Places, StageObject } from "./contract.ts";
import { cornersOf, wholeOf } from "./contract.ts";
import { box, fittedText, path, text, textWidth } from "./draw.ts";
import { copies, headEnd } from "./brokers.ts";
import { railTag } from "./coordinator.ts";
import { legendBoxes } from "./legend.ts";
import { missingConnections } from "./connections.ts";
import { decidedBy } from "./decided.ts";
import { cardOf, cellBox, shownLane } from "./ghosts.ts";
import type { Shown } from "./ghosts.ts";
import { gateNames, ghostNeeds, namesBeside } from "./gate-names.ts";
import { hasNameAbove } from "./lanes.ts";
import { TORN } from "./envelope.ts";
import { awayBox, bodiesOf, columnOf, networkOf, taken, withNote } from "./network.ts";
import type { Flight } from "./network.ts";
import { LATER, phoneParts } from "./later.ts";
import { COVERS, EDGE, labelPlace } from "./label-place.ts";
import type { LabelPlace, Spot } from "./label-place.ts";
import { ROW_TAG, headingsIn, tagInRow } from "./readers.ts";
import { HEIGHT, tagHeight, tagWidth } from "./tag-size.ts";

const SIZES = [17, 15, 13, 12];
/**
 * If a tag fits in letters of at least this size inside the lane that it is about, it is there rather than larger
 * elsewhere.
 */
const INSIDE = 13;
/**
 * `GAP`: units between the tag and a second line under it. `SIDE`: units from the outermost boxes of an upright picture
 * to its edge.
 */
const GAP = 3;
const SIDE = 12;
/** The smallest size of letters of a comparison beside the tag; if it does not fit in it, it is left out. */
const LEAST = 11;

export const tagLayer: Layer = (frame, here, focus) => {
  const tags = tagsOf(frame, here, focus);
  return [...tags, ...tags.flatMap((tag) => lineOf(frame, here, focus, tag))];
};

const tagsOf: Layer = (frame, here, focus) => {
  if (focus.tag === null || (here.upright && phoneParts().isSaid(frame, here, focus))) return [];
  const node = LATER.nodes?.tag(frame, here, focus);
  if (node != null) return [labelled(focus, node.said, node.size, node.box, besideTag(focus))];
  const rail = railTag(frame, here, focus, focus.actor ?? "");
  if (rail !== null) return [labelled(focus, rail.said, rail.size, rail.box)];
  const whole = say(focus.tag.key, focus.tag.params);
  const said = focus.kind === "lost" && !hasRoom(frame, here, focus, whole) ? say("stage.tag.lost_short") : whole;
  const row = here.readers[focus.partition ?? ""]?.[focus.actor ?? ""]?.box;
  const inRow = focus.kind !== "read" || row === undefined ? 0 : tagInRow(here, focus, row);
  if (row !== undefined && inRow > 0) {
    const { size, height, edge, gap } = ROW_TAG;
    const width = round(inRow - edge - gap);
    return [labelled(focus, said, size, { x: round(row.x + row.width - edge - width), y: round(row.y + (row.height - height) / 2), width, height })];
  }
  // On a phone, the tag has no comparison if the numbers are below the picture, or if the coordinator's place shows
  // them.
  const more = here.upright && (decidedBy(frame, focus) !== null || isOnRail(here, focus)) ? "" : besideTag(focus);
  // Beside a client, a tag with the name of an error may be as wide as the network.
  const size = here.upright ? phoneParts().tagSize(frame, here, focus, said) : deskSize(frame, here, focus, said);
  const told = more !== "" && !here.upright && isOnRail(here, focus) && round(tagWidth(said, size) + textWidth(more, 14) + 18) > roomOf(frame, here, focus) ? "" : more;
  const first = tagWidth(said, size);
  // If no place is free, the tag is left out, because it only repeats what sentence and picture say.
  if (placeOf(frame, here, focus, first, tagHeight(size)).covers > COVERS) return [];
  const own = told === "" || textWidth(told, LEAST) > roomOf(frame, here, focus) - 18 ? 0 : round(Math.min(textWidth(told, 14) + 18, roomOf(frame, here, focus)));
  if (own > 0 && first + own > roomOf(frame, here, focus)) {
    const width = Math.max(first, own);
    const height = 2 * HEIGHT + GAP;
    const { x, y, covers } = placeOf(frame, here, focus, width, height);
    // If there is no free place for two lines, the tag has one line; the text of the second is also with the step.
    if (covers > COVERS) return [oneLine(frame, here, focus, said, size)];
    // On a phone, the second line does not reach farther right than the boxes of the picture.
    const under = here.upright ? Math.max(round(textWidth(told, LEAST) + 18), Math.min(own, here.width - SIDE - x)) : own;
    return [{
      key: "tag", x, y, ...termOf(focus.tag), width: Math.max(first, under), height, phase: "tag", depth: 6, hot: true, label: named(said, more),
      draw: svg`${box(0.5, HEIGHT + GAP, under - 1, HEIGHT - 0.5, "pill", 4)}${fittedText(9, 2 * HEIGHT + GAP - 9, told, under - 16, 14, { classes: "k", least: LEAST })}${
        box(0, 0, first, HEIGHT, focus.bad ? "tag badt" : "tag", 4)}${text(first / 2, 14 + size * 0.33, said, `s${size} inv`, "middle")}`,
    }];
  }
  const isCrowded = own > 0 && placeOf(frame, here, focus, round(first + own), tagHeight(size)).covers > COVERS;
  return [oneLine(frame, here, focus, said, size, own === 0 || isCrowded ? "" : told)];
};

/** Whether there is a free place for a tag in its smallest size. */
function hasRoom(frame: Frame, here: Places, focus: Focus, said: string): boolean {
  return placeOf(frame, here, focus, tagWidth(said, SIZES.at(-1) ?? 12), tagHeight(12)).covers <= COVERS;
}

/** The object of a tag in one line, in its place. `told`: the comparison that is drawn beside it. */
function oneLine(frame: Frame, here: Places, focus: Focus, said: string, size: number, told = ""): StageObject {
  const first = tagWidth(said, size);
  const width = first + (told === "" ? 0 : round(Math.min(textWidth(told, 14) + 18, roomOf(frame, here, focus))));
  const more = besideTag(focus);
  const height = tagHeight(size);
  return labelled(focus, said, size, { ...placeOf(frame, here, focus, width, height), width, height }, more, told);
}

/** The object of a tag in a given box. `more`: the comparison in its label; `told`: the drawn one; "": none. */
function labelled(focus: Focus, said: string, size: number, { x, y, width, height }: Box, more = "", told = ""): StageObject {
  const first = told === "" ? width : tagWidth(said, size);
  return {
    key: "tag", x, y, ...(focus.tag === null ? {} : termOf(focus.tag)), width, height, phase: "tag", depth: 6, hot: true, label: more === "" ? said : named(said, more),
    draw: svg`${told === "" ? nothing : svg`${box(first - 5, 0.5, width - first + 4.5, height - 1, "pill", 4)}${text(first + 7, height / 2 + 5, told, "s14 k")}`}${
      box(0, 0, first, height, focus.bad ? "tag badt" : "tag", 4)}${text(first / 2, height / 2 + size * 0.33, said, `s${size} inv`, "middle")}`,
  };
}

/**
 * The size of a tag's letters on a wide stage, in units: the largest one with which it fits after the end of the log
 * (from `INSIDE` up); else the largest one from 15 down with which it has a free place elsewhere.
 */
function deskSize(frame: Frame, here: Places, focus: Focus, said: string): number {
  const room = roomOf(frame, here, focus);
  const shown = ["append", "duplicate", "gate"].includes(focus.kind) ? shownLane(frame, here, focus) : null;
  const behind = shown === null ? 0 : endOf(shown) - behindOf(shown);
  const inside = SIZES.find((one) => one >= INSIDE && tagWidth(said, one) <= Math.min(room, behind));
  if (inside !== undefined) return inside;
  const fitting = SIZES.slice(1).filter((one) => tagWidth(said, one) <= room);
  // A smaller tag at its consumer is better than a larger one at another consumer.
  const row = focus.kind === "read" ? here.readers[focus.partition ?? ""]?.[focus.actor ?? ""]?.box : undefined;
  const isFree = (one: number, reach: number): boolean => {
    const { y, covers } = placeOf(frame, here, focus, tagWidth(said, one), tagHeight(one));
    return covers <= COVERS && (row === undefined || Math.abs(y - row.y) < reach);
  };
  return fitting.find((one) => isFree(one, 2 * HEIGHT)) ?? fitting.find((one) => isFree(one, Infinity)) ?? fitting[0] ?? 12;
}

/**
 * Whether a step is about a coordinator with a place of its own. Its comparison is then about states, which that place
 * shows.
 */
export function isOnRail(here: Places, { actor, partition }: Focus): boolean {
  return partition === null && here.brokers[actor ?? ""]?.coordinator != null;
}

/** If a tag names an error, a press shows what the error means. */
function termOf({ params }: NonNullable<Focus["tag"]>): Pick<StageObject, "term"> {
  const term = typeof params["error"] === "string" ? errorTerm(params["error"]) : null;
  return term === null ? {} : { term };
}

/** The most units of width of a tag in one line: beside a client, it must fit in the network. */
function roomOf(frame: Frame, here: Places, focus: Focus): number {
  if (here.upright) return here.width - 2 * SIDE;
  if (clientOf(frame, here, focus) !== undefined) return here.network.width - 4;
  // The tag of a broker is as wide as the broker's box at most, so that it covers no messages on their way there.
  const broker = here.brokers[focus.actor ?? ""];
  return broker === undefined ? here.width - 2 * EDGE : wholeOf(broker).width - 16;
}

/** The text of the comparison beside the tag; "" if nothing was compared. */
const besideTag = ({ compared }: Focus): string => comparedText(compared);

const SIDES = /^(arrived|stored|current|expected|known|allowed)[ _]/;

/**
 * A comparison in words. If the engine compared a number that arrived with another number: `producer epoch 0 < 2`, with
 * the name of the one that arrived; else the first two values, each with its name.
 */
export function comparedText(compared: Focus["compared"]): string {
  const sides = compared.map(([name, value]) => {
    const whole = String(name);
    return { side: SIDES.exec(whole)?.[1] ?? "", name: whole.replace(SIDES, ""), value: value as Json };
  });
  const arrived = sides.find(({ side }) => side === "arrived");
  const other = sides.find(({ side }) => side !== "arrived" && side !== "");
  if (arrived !== undefined && other !== undefined && typeof arrived.value === "number" && typeof other.value === "number") {
    const sign = arrived.value < other.value ? "<" : arrived.value > other.value ? ">" : "=";
    return say("stage.tag.compared", { name: fieldName(arrived.name), arrived: arrived.value, sign, stored: other.value });
  }
  return facts(compared.slice(0, 2).map(([name, value]) => `${fieldName(String(name))} ${formatValue(value as Json)}`));
}

export function placeOf(frame: Frame, here: Places, focus: Focus, width: number, height = HEIGHT): LabelPlace {
  const found = anyPlaceOf(frame, here, focus, width, height);
  return here.upright && phoneParts().isOverAnother(here, focus, found, width) ? { ...found, covers: Number.POSITIVE_INFINITY } : found;
}

function anyPlaceOf(frame: Frame, here: Places, focus: Focus, width: number, height: number): LabelPlace {
  const shown = ["append", "duplicate", "gate", "refused"].includes(focus.kind) ? shownLane(frame, here, focus) : null;
  const body = bodyOf(frame, here, focus, shown);
  const { told, others } = messagesOf(frame, here, focus);
  const between = [...others.map((other) => other.box), ...[cardOf(frame, here, focus)].flatMap((card) => card ?? [])];
  const mistaken = (x: number, y: number): number => {
    const at = { x, y, width, height };
    const way = shortest(at, told);
    const isNearer = shortest(at, others).gap <= way.gap;
    if (told.length === 0 || (way.gap <= BESIDE && !isNearer)) return 0;
    if (way.gap > FAR_OFF || between.some((other) => crosses(way, other))) return HIDDEN;
    return isNearer ? MISTAKEN : 0;
  };
  return labelPlace({ width, height }, spotsOf(frame, here, focus, width, height), {
    taken: takenBy(frame, here, focus), ...bodiesAround(frame, here, focus, shown), within: here.upright ? { x: SIDE - EDGE, y: 0, width: here.width - 2 * (SIDE - EDGE), height: here.height } : { x: 0, y: 0, width: here.width, height: here.height },
    away: (y, x) => farFrom(body, y, height) + (here.upright ? phoneParts().farFromClient(here, focus, y) : 0) + farFromMessage(frame, here, focus, y, height)
      + mistaken(x, y),
    ...(here.upright ? { across: (x: number) => [SIDE - x, here.width - SIDE - width - x] } : {}),
  });
}

/** The boxes of components that the step is about, and the boxes of all others. */
function bodiesAround(frame: Frame, here: Places, focus: Focus, shown: Shown | null): { own: Box[]; others: Box[] } {
  const broker = shown?.broker ?? here.brokers[focus.actor ?? ""];
  const isLane = shown !== null;
  const told = focus.kind === "lost" || focus.kind === "sent" ? [] : [
    ...(isLane ? [shown.lane.box] : broker?.coordinator != null && (focus.kind === "coordinator" || focus.kind === "refused") ? [broker.coordinator.box] : broker === undefined ? [] : [wholeOf(broker)]),
    ...(clientOf(frame, here, focus) === undefined ? [] : [wholeOf(clientOf(frame, here, focus) as Places["clients"][string])]),
    ...(here.others[focus.actor ?? ""] === undefined ? [] : [here.others[focus.actor ?? ""]?.box as Box]),
  ];
  const isTold = (body: Box): boolean => told.some((one) => contains(body, one));
  const bodies = [
    ...Object.values(here.clients).flatMap(({ box: small, panel }) => (panel === undefined ? [small] : [small, panel])),
    ...Object.values(here.brokers).filter(({ folded }) => !(here.upright && folded)).flatMap(({ box: small, panel, coordinator }) => [small, ...(panel === undefined ? [] : [panel]), ...(coordinator !== null && (here.upright || coordinator.shared === true) ? [coordinator.box] : [])]),
    ...(here.lens === null ? [] : [here.lens.box]), ...readersIn(here), ...(here.kind === "middleware" ? [] : Object.values(here.others).map(({ box: other }) => other)),
  ];
  return { own: bodies.filter(isTold), others: bodies.filter((body) => !isTold(body)) };
}

function contains(body: Box, one: Box): boolean {
  const [x, y] = [one.x + one.width / 2, one.y + one.height / 2];
  return body.x <= x && x <= body.x + body.width && body.y <= y && y <= body.y + body.height;
}

/**
 * The cost, in square units, of a tag's distance above or below the box `own` of the component that it is about: too
 * far away, it would be taken for another component's. 0 if `own` is null.
 */
function farFrom(own: Box | null, y: number, height: number): number {
  return own === null ? 0 : (Math.max(0, own.y - 16 - height - y) + Math.max(0, y - own.y - own.height - 12)) * 30;
}

/** The box near which a tag has to be; null: it may be anywhere. */
function bodyOf(frame: Frame, here: Places, focus: Focus, shown: Shown | null): Box | null {
  // On a phone, the tag may be anywhere below the upper edge of the broker's box.
  if (here.upright) return shown === null ? here.others[focus.actor ?? ""]?.box ?? null : { ...shown.broker.box, height: here.height };
  // The lane of a broker that took over is in the box of the broker before it, so only the lane's box counts.
  if (shown !== null && !contains(wholeOf(shown.broker), shown.lane.box)) return shown.lane.box;
  const broker = shown?.broker ?? (["sent", "lost", "read"].includes(focus.kind) ? undefined : here.brokers[focus.actor ?? ""]);
  return broker === undefined ? (focus.kind === "client" ? clientOf(frame, here, focus)?.box ?? null : null) : wholeOf(broker);
}

/**
 * The cost, in square units, of a tag's distance from a lost message between nodes of the middleware: too far above or
 * below, it would be taken for another message's. 0 for other tags.
 */
function farFromMessage(frame: Frame, here: Places, focus: Focus, y: number, height: number): number {
  if (here.kind !== "middleware" || focus.kind !== "lost") return 0;
  const { dropped, lost } = focus.messages;
  const own = networkOf(frame, here, focus).flights.find(({ message }) => [...dropped, ...lost].includes(message.id));
  return own === undefined ? 0 : farFrom(own.box, y, height);
}

/**
 * Costs in square units. `MISTAKEN`: of a place that is nearer to another message than to the tag's own. `HIDDEN`: of a
 * place whose line to the tag's message another message would cross, or that is farther from it than `FAR_OFF` units.
 */
const MISTAKEN = 40;
const HIDDEN = 10_000;
const FAR_OFF = 70;
/** A tag at most so many units from its message needs no line to it, unless another message is nearer. */
const BESIDE = 12;

/** The messages that the tag is about (`told`), and all others. */
function messagesOf(frame: Frame, here: Places, focus: Focus): { told: Flight[]; others: Flight[] } {
  const { dropped, lost, duplicated, delayed, sent } = focus.messages;
  const { flights } = networkOf(frame, here, focus);
  const done = [...dropped, ...lost, ...duplicated, ...delayed];
  const first = flights.find(({ message }) => sent.includes(message.id));
  const isTold = (flight: Flight): boolean => (done.length > 0 ? done.includes(flight.message.id) : flight === first);
  return focus.kind === "lost" || focus.kind === "sent" ? { told: flights.filter(isTold), others: flights.filter((one) => !isTold(one)) } : { told: [], others: [] };
}

/** The shortest line from a box to one of the messages, and its length in units. */
function shortest(at: Box, flights: readonly Flight[]): { from: Spot; to: Spot; gap: number } {
  const ways = flights.map(taken).map((own) => {
    const [x, toX] = along(at.x, at.width, own.x, own.width);
    const [y, toY] = along(at.y, at.height, own.y, own.height);
    return { from: [x, y] as const, to: [toX, toY] as const, gap: Math.hypot(toX - x, toY - y) };
  });
  return ways.reduce((best, way) => (way.gap < best.gap ? way : best), { from: [0, 0], to: [0, 0], gap: Number.POSITIVE_INFINITY });
}

/** `POINTS`: the number of points of a line that are checked; `NEAR`: units that it has to keep from other messages. */
const POINTS = 60;
const NEAR = 3;

function crosses({ from, to }: { from: Spot; to: Spot }, { x, y, width, height }: Box): boolean {
  return Array.from({ length: POINTS + 1 }, (_, index) => index / POINTS).some((share) => {
    const [atX, atY] = [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
    return atX > x - NEAR && atX < x + width + NEAR && atY > y - NEAR && atY < y + height + NEAR;
  });
}

/**
 * The two nearest points on one axis, one in the range from `from` of length `size`, one in that from `to` of length
 * `other`. If the ranges overlap, both points are in the middle of the overlap.
 */
function along(from: number, size: number, to: number, other: number): readonly [number, number] {
  const [least, most] = [Math.max(from, to), Math.min(from + size, to + other)];
  const middle = (least + most) / 2;
  return least <= most ? [middle, middle] : from < to ? [from + size, to] : [from, to + other];
}

/** The line from a tag to its message. None if the tag is at its message, and no other message is nearer. */
function lineOf(frame: Frame, here: Places, focus: Focus, tag: StageObject): StageObject[] {
  const { told, others } = messagesOf(frame, here, focus);
  const { from, to, gap } = shortest(tag, told);
  if (told.length === 0 || (gap <= BESIDE && gap < shortest(tag, others).gap)) return [];
  return [{ key: "tag:line", x: 0, y: 0, width: 0, height: 0, phase: "tag", depth: 5, label: "", draw: path(`M${from.map(round)}L${to.map(round)}`, "trail thin") }];
}

/** The place of the client that a step is about: of the actor or, if that is an application, of its client. */
function clientOf(frame: Frame, here: Places, focus: Focus): Places["clients"][string] | undefined {
  return here.clients[focus.actor ?? ""] ?? here.clients[frame.view.applications?.[focus.actor ?? ""]?.client ?? ""];
}

/** The places that are tried for a tag, the best first; on a phone, the last ones are in the network. */
function spotsOf(frame: Frame, here: Places, focus: Focus, width: number, height: number): Spot[] {
  const suiting = suitingSpots(frame, here, focus, width, height);
  return here.upright ? [...suiting, ...phoneParts().underCoordinator(here, focus, width), ...inNetwork(here, width)] : suiting;
}

function suitingSpots(frame: Frame, here: Places, focus: Focus, width: number, height: number): Spot[] {
  const shown = shownLane(frame, here, focus);
  if (focus.kind === "lost" || focus.kind === "sent") return besideMessage(frame, here, focus, width);
  if (shown !== null && ["append", "duplicate", "gate", "refused"].includes(focus.kind)) return besideLane(frame, here, focus, shown, width, height);
  if (focus.kind === "read") return besideReader(here, focus, width);
  const broker = here.brokers[focus.actor ?? ""];
  if (broker !== undefined && (focus.kind === "coordinator" || focus.kind === "refused") && broker.coordinator !== null) {
    const { box: at } = broker.coordinator;
    const head = copiesIn(frame, here, focus, broker).x - width - 6;
    return here.upright ? onBox(at, width, height) : [[head, wholeOf(broker).y + 2], ...onBox(at, width, height)];
  }
  if (broker !== undefined) {
    const own = wholeOf(broker);
    const right = own.x + own.width - width - 8;
    if (here.upright && focus.kind === "actor") return phoneParts().besideChip(broker.box, broker.box.y - HEIGHT - 4, width);
    return [[own.x + 92, own.y + 1], [right, own.y + 1], [right, own.y + own.height - 3], [right, own.y - HEIGHT + 4]];
  }
  const client = clientOf(frame, here, focus);
  // The network begins below the small boxes of all clients.
  if (client?.panel !== undefined) return [...phoneParts().besideChip(client.box, here.network.y + 3, width).filter(() => width <= client.box.width), ...besideClient(here, { ...client.panel, y: here.network.y - client.box.height, height: client.box.height }, 0, width)];
  if (client !== undefined) return besideClient(here, client.box, client.ports[""]?.[1] ?? client.box.y + 60, width);
  const other = here.others[focus.actor === "zookeeper" && here.kind === "cluster" ? "controller" : focus.actor ?? ""];
  if (other === undefined) return inNetwork(here, width);
  const [over, under, middle] = onBox(other.box, width, height) as [Spot, Spot, Spot];
  const aside: Spot = [other.box.x + other.box.width + 8, other.box.y + (other.box.height - HEIGHT) / 2];
  if (here.kind === "cluster" && !here.upright && focus.kind === "node") return besideNode(here, other.box, width);
  if (here.kind === "cluster" && !here.upright) return [aside, [other.box.x, other.box.y - HEIGHT - 6]];
  const foot = other.box.y + other.box.height - HEIGHT / 2;
  const below = other.box.y + other.box.height + 4;
  return here.upright ? [[other.box.x, below], [under[0], below], [other.box.x, foot], [under[0], foot], over, middle] : [...asideOf(here, other.box, width), over, middle];
}

/**
 * The places in the network beside a service or database, above or below the wire of its statements; for a database,
 * last in its own head.
 */
function besideNode(here: Places, at: Box, width: number): Spot[] {
  const isRight = at.x >= here.network.x + here.network.width;
  const x = isRight ? at.x - width - 8 : at.x + at.width + 8;
  const rows = [at.y, at.y + at.height - HEIGHT, at.y + (at.height - HEIGHT) / 2].map((y): Spot => [x, y]);
  return isRight ? [...rows, [at.x + (at.width - width) / 2, at.y + 1]] : rows;
}

/** The places in the network beside a role of the middleware, because its box is full of text. */
function asideOf(here: Places, at: Box, width: number): Spot[] {
  const x = at.x + at.width / 2 > here.width / 2 ? at.x - width - 8 : at.x + at.width + 8;
  return [at.y + 4, at.y + at.height - HEIGHT - 4, at.y + (at.height - HEIGHT) / 2].map((y): Spot => [x, y]);
}

/** Units of height at the top of the picture for the headings of columns. */
const HEADS = 24;

/** The places at the edges of the network. */
function inNetwork({ network, upright }: Places, width: number): Spot[] {
  if (!upright || network.height < HEIGHT) return [[network.x + 8, upright ? EDGE : HEADS + EDGE]];
  const [left, right] = [network.x + 8, network.x + network.width - width - 8];
  const [top, bottom] = [network.y + 3, network.y + network.height - HEIGHT - 3];
  return [[left, top], [right, top], [left, bottom], [right, bottom]];
}

function besideMessage(frame: Frame, here: Places, focus: Focus, width: number): Spot[] {
  // If the tag is about several messages, the best place beside each is tried first, then the second best of each.
  const { told } = messagesOf(frame, here, focus);
  if (told.length === 0) return inNetwork(here, width);
  const spots = told.map((flight) => besideFlight(here, flight, width));
  return (spots[0] as Spot[]).flatMap((_, index) => spots.flatMap((own) => (own[index] === undefined ? [] : [own[index]])));
}

function besideFlight(here: Places, flight: Flight, width: number): Spot[] {
  const { x, y, width: wide, height } = flight.box;
  const under = flight.fate.note === "" || flight.fate.side !== "under" ? 10 : 24;
  const middle = x + (wide - width) / 2;
  // A message that has arrived is at the edge of the network. The tag then has further places inside the network.
  const network = columnOf(here, flight.box);
  const within = Math.max(network.x + 4, Math.min(middle, network.x + network.width - width - 4));
  const aside: Spot[] = here.upright || within === middle ? [] : [[within, y + height + under], [within, y - HEIGHT - 8]];
  // A lost message has a torn-off piece in front of it. A tag beside the message is beyond that piece, if there is
  // room.
  const isTornLeft = !here.upright && flight.message.is_response;
  const beyond: Spot = isTornLeft ? [x - width - 8 - TORN, y + (height - HEIGHT) / 2] : [x + wide + 8 + TORN, y + (height - HEIGHT) / 2];
  const fits = beyond[0] >= 4 && beyond[0] + width <= here.width - 4;
  return [[middle, y + height + under], [middle, y - HEIGHT - 8], ...aside, ...(flight.fate.lost && fits ? [beyond] : []), [x + wide + 8, y + (height - HEIGHT) / 2], [x - width - 8, y + (height - HEIGHT) / 2]];
}

function besideLane(frame: Frame, here: Places, focus: Focus, shown: Shown, width: number, tall: number): Spot[] {
  const { lane, replica, window } = shown;
  const { y, height } = lane.cells;
  const right = lane.cells.x + lane.cells.width;
  const stored = focus.offset === null ? undefined : replica.batches[String(focus.offset)];
  const cell = stored === undefined ? null : cellBox(shown, stored);
  const under = y + height + 21;
  const gate = focus.gates[0];
  const at = focus.kind === "gate" && gate !== undefined ? window.x(Math.max(replica[gate], window.first)) : cell === null ? lane.cells.x : cell.x + cell.width / 2;
  const start = focus.kind === "gate" ? at - width / 2 : (cell?.x ?? lane.cells.x) - 3;
  const below = Math.min(Math.max(start, lane.cells.x - 4), Math.max(lane.cells.x, right - width));
  const behind = behindOf(shown);
  const after: Spot[] = behind + width <= endOf(shown) ? [[behind, y + (height - tall) / 2]] : [];
  // In the broker's first line, between its name and its copies of other partitions.
  const own = wholeOf(shown.broker);
  const [least, most] = [own.x + 104, copiesIn(frame, here, focus, shown.broker).x - width - 8];
  const names = namesBeside({ here, focus, partition: focus.partition ?? "", place: lane }, replica, window, ghostNeeds(frame)).taken;
  const head = [at - width / 2, ...names.flatMap(({ from, to }) => [from - width - 8, to + 8])]
    .map((from): Spot => [Math.max(least, Math.min(from, most, own.x + own.width - width - 8)), here.upright ? own.y + 1 : Math.min(own.y + 1, y - tall - OVER_GATES)]);
  if (focus.kind === "refused") return [[below, under], ...after, ...head];
  return [...after, [below, under], ...head];
}

/** Units of height above a lane's cells for the names of its gates and the reasons why records are held back. */
const OVER_GATES = 24;

/** x after the end of the log in a lane and after its gates, where a tag may begin. */
function behindOf({ replica, window }: Shown): number {
  return Math.max(window.x(replica.log_end), window.x(Math.max(replica.high_watermark, window.first))) + 16;
}

/** The greatest x that a tag may reach inside the lane's box. */
function endOf({ broker, lane }: Shown): number {
  return Math.min(wholeOf(broker).x + wholeOf(broker).width, lane.box.x + lane.box.width) - 6;
}

/** The places above, below and left of the consumer's row, then above the partition's first row; none without a row. */
function besideReader(here: Places, focus: Focus, width: number): Spot[] {
  const rows = here.readers[focus.partition ?? ""] ?? {};
  const at = rows[focus.actor ?? ""]?.box;
  const own = besideBox(at, width);
  if (at === undefined) return own;
  return [...own, [own[0]?.[0] ?? at.x, Math.min(...Object.values(rows).map(({ box: row }) => row.y)) - HEIGHT - 3]];
}

function besideBox(at: Box | undefined, width: number): Spot[] {
  if (at === undefined) return [];
  const x = at.x + at.width - width - 6;
  return [[x, at.y - HEIGHT - 5], [x, at.y + at.height + 5], [at.x - width - 8, at.y + (at.height - HEIGHT) / 2]];
}

/**
 * The places at the upper or lower edge of a box, mostly outside of it, so that the tag covers neither its first nor
 * its last line.
 */
function onBox(at: Box, width: number, height: number): Spot[] {
  const x = at.x + at.width - width - 8;
  return [[x, at.y - height + 4], [x, at.y + at.height - 3], [at.x + at.width / 2 - width / 2, at.y - height + 4]];
}

/** The places right of the client, where its requests leave; on a phone, those below it, and last on its lower edge. */
function besideClient(here: Places, at: Box, port: number, width: number): Spot[] {
  const under = at.y + at.height + 3;
  if (here.upright) return [[at.x + at.width - width - 10, under], [at.x + 10, under], [at.x + (at.width - width) / 2, under], [at.x + at.width - width - 10, at.y + at.height - HEIGHT / 2], [at.x + 10, at.y + at.height - HEIGHT / 2], [at.x + (at.width - width) / 2, at.y + at.height - HEIGHT / 2]];
  const x = at.x + at.width + Math.max(2, Math.min(8, here.network.width - width - 4));
  return [[x, at.y + 4], [x, port + 34], [x, at.y + at.height - HEIGHT - 8]];
}

/**
 * The boxes that a tag must not cover: messages, and around the step's subject the texts that belong to it, for example
 * the cells of its lane with the offsets below and the names of gates above.
 */
function takenBy(frame: Frame, here: Places, focus: Focus): Box[] {
  const network = networkOf(frame, here, focus);
  const away = awayBox(here, network);
  const columns = here.upright ? [] : [{ x: 0, y: 0, width: here.width, height: HEADS }, ...legendBoxes(frame, here)];
  const flights = network.flights.map(withNote).concat(away ?? [], cardOf(frame, here, focus) ?? [], columns, cornersIn(here, focus), missingConnections(frame, here, focus).flatMap(({ words }) => words ?? []), here.upright ? network.bundles.map(({ box: one }) => one) : []);
  const strips = [...(here.rows ?? []), ...(here.upright ? phoneParts().chips(here) : [])];
  if (focus.kind === "sent" || focus.kind === "lost") {
    // On a phone, a tag may cover no box, so that only the room between the boxes is free.
    if (here.upright && here.kind !== "middleware") return [...flights, ...phoneParts().heads(here), ...coordinatorsIn(here), ...readersIn(here), ...lanesIn(frame, here, focus, Object.keys(here.brokers)), ...strips];
    return [...flights, ...bodiesOf(here), ...strips, ...headingsIn(here)];
  }
  if (focus.kind === "read") {
    const rows = here.readers[focus.partition ?? ""] ?? {};
    const { partition } = focus;
    const lane = here.upright && partition !== null ? lanesIn(frame, here, focus, Object.keys(here.brokers)) : [];
    return [...flights, ...Object.values(rows).map((row) => row.box), ...headingsIn(here), ...strips, ...lane, ...(here.upright ? [...phoneParts().heads(here), ...coordinatorsIn(here)] : [])];
  }
  const shown = shownLane(frame, here, focus);
  if (shown === null) return [...flights, ...labelsIn(frame, here, focus), ...(here.kind === "middleware" ? rolesOf(here) : []), ...(here.upright ? [...phoneParts().heads(here), ...readersIn(here), ...strips] : [])];
  const { lane, replica, window } = shown;
  const { x, y, height } = lane.cells;
  const end = window.x(replica.log_end);
  const cells = { x, y: y - 20, width: Math.max(0, end - x), height: height + 38 };
  const names = namesBeside({ here, focus, partition: focus.partition ?? "", place: lane }, replica, window, ghostNeeds(frame));
  const gates = lane.strip ? [] : names.taken.map(({ from, to }) => ({ x: from - 3, y: y + names.y - 10, width: to - from + 6, height: 13 }));
  // On an upright stage, the consumers begin right under the lane.
  const others = here.upright ? [...readersIn(here), ...strips, ...clientsIn(here), ...coordinatorsIn(here)] : [];
  const ghost = focus.kind === "refused" ? [{ x: end + 18, y, width: 96, height: height + 18 }]
    : focus.kind === "duplicate" ? [{ x, y: y - 38, width: lane.cells.width, height: 38 }] : [];
  return [...flights, cells, ...gates, ...ghost, ...others, ...aroundLane(frame, here, focus, shown), ...(here.upright ? [] : otherBrokers(frame, here, focus, shown.broker))];
}

/**
 * The boxes of the controller and the tool that a tag must not cover: not that of the one that acts in this step,
 * because its tag is at its edge. On a phone: only that of the one that acts, without its lower edge.
 */
function cornersIn(here: Places, focus: Focus): Box[] {
  const acting = here.others[focus.actor === "zookeeper" ? "controller" : focus.actor ?? ""]?.box;
  const corners = cornersOf(here);
  if (here.upright) return corners.filter((own) => own === acting).map((own) => ({ ...own, height: own.height - HEIGHT / 2 }));
  return corners.filter((own) => own !== acting);
}

/** The whole boxes of the middleware's roles, because they are full of text. */
function rolesOf(here: Places): Box[] {
  return Object.values(here.others).map(({ box: own }) => ({ ...own }));
}

/** The boxes of clients without their lower edge, on which a tag may lie. */
export function clientsIn(here: Places): Box[] {
  return Object.values(here.clients).map(wholeOf).map((own) => ({ ...own, height: own.height - HEIGHT / 2 }));
}

/** The boxes of coordinators without their edges, on which a tag may lie. */
function coordinatorsIn(here: Places): Box[] {
  return Object.values(here.brokers).flatMap(({ coordinator }) => (coordinator === null ? [] : [{ ...coordinator.box, y: coordinator.box.y + 5, height: coordinator.box.height - 9 }]));
}

/** The box of the right part of a broker's first line, with its copies of partitions that others lead. */
function copiesIn(frame: Frame, here: Places, focus: Focus, broker: BrokerPlace): Box {
  const name = Object.keys(here.brokers).find((one) => here.brokers[one] === broker) ?? "";
  const from = copies(frame, here, focus, name, broker).from - 8;
  const own = wholeOf(broker);
  return { x: own.x + from, y: own.y, width: Math.max(0, own.width - from), height: 26 };
}

/**
 * The boxes of what else is in the box of the lane's broker: its name, its other lanes with their names and gates, its
 * coordinator.
 */
function aroundLane(frame: Frame, here: Places, focus: Focus, { broker, lane }: Shown): Box[] {
  const named = focus.partition !== null && hasNameAbove(here, focus.partition, lane) ? wholeOf(broker).width : 92;
  const found: Box[] = [{ x: wholeOf(broker).x, y: wholeOf(broker).y, width: named, height: 26 }, copiesIn(frame, here, focus, broker)];
  if (broker.coordinator !== null) found.push(broker.coordinator.box);
  for (const [partition, other] of Object.entries(broker.lanes)) {
    if (other === lane) continue;
    const shown = other.strip ? null : shownLane(frame, here, { ...focus, partition });
    if (shown === null) {
      found.push(other.box);
      continue;
    }
    const { x, y, height } = other.cells;
    const end = shown.window.x(Math.max(shown.replica.log_end, shown.replica.high_watermark, shown.window.first));
    const above = hasGates(frame, partition, shown) ? 20 : 4;
    found.push({ x: other.box.x, y: y - 4, width: x - other.box.x, height: height + 22 }, { x: x - 36, y: y - above, width: end - x + 72, height: height + 18 + above });
  }
  return found;
}

/**
 * The boxes that a tag about the broker `own` must not cover: heads and lanes of the other brokers, all coordinators and
 * all consumers.
 */
function otherBrokers(frame: Frame, here: Places, focus: Focus, own: BrokerPlace): Box[] {
  const names = Object.keys(here.brokers).filter((name) => here.brokers[name] !== own);
  const heads = names.flatMap((name): Box[] => {
    const broker = here.brokers[name] as BrokerPlace;
    return [{ ...wholeOf(broker), width: Math.max(100, headEnd(frame, name)) }, copiesIn(frame, here, focus, broker)].map(headOf);
  });
  return [...heads, ...coordinatorsIn(here), ...lanesIn(frame, here, focus, names), ...readersIn(here)];
}

/** Units from the upper edge of a box to the words of its head, which a tag may cover. */
const OVER_HEAD = 8;

function headOf(own: Box): Box {
  return { ...own, y: own.y + OVER_HEAD, height: 24 - OVER_HEAD };
}

/** Whether this replica is the leader's, because only the leader's has gates. */
function hasGates(frame: Frame, partition: string, { replica }: Shown): boolean {
  return leaderLog(frame.view.partitions?.[partition]) === replica;
}

function readersIn(here: Places): Box[] {
  return Object.values(here.readers).flatMap((rows) => Object.values(rows).map((row) => row.box));
}

/** The boxes of texts that a tag about a broker must not cover: the broker's head, and cells and offsets in lanes. */
function labelsIn(frame: Frame, here: Places, focus: Focus): Box[] {
  const broker = here.brokers[focus.actor ?? ""];
  const head: Box[] = broker === undefined ? [] : [here.upright ? { ...wholeOf(broker), height: 26 } : copiesIn(frame, here, focus, broker)];
  for (const other of Object.values(here.brokers)) {
    const { box: own } = other;
    if (!here.upright) head.push({ ...own, x: own.x + 8, width: 92, height: 24 }, { ...copiesIn(frame, here, focus, other), height: 24 });
  }
  head.push(...coordinatorsIn(here));
  return head.concat(lanesIn(frame, here, focus, Object.keys(here.brokers)), here.upright ? [] : [...readersIn(here), ...clientsIn(here)]);
}

/** The boxes of the cells in the lanes of these brokers, with their offsets and gates. */
function lanesIn(frame: Frame, here: Places, focus: Focus, named: readonly string[]): Box[] {
  return named.flatMap((actor) => Object.entries(here.brokers[actor]?.lanes ?? {}).flatMap(([partition, lane]): Box[] => {
    const shown = lane.strip ? null : shownLane(frame, here, { ...focus, actor, partition });
    if (shown === null) return [];
    const { x, y, height } = shown.lane.cells;
    // On a phone, the tag may cover the names above the cells; elsewhere it must not cover the names of gates.
    const above = here.upright ? 6 : hasGates(frame, partition, shown) ? 20 : 4;
    const cells = { x, y: y - above, width: Math.max(0, shown.window.x(shown.replica.log_end) - x), height: height + above + 18 };
    const end = shown.window.x(Math.max(shown.replica.high_watermark, shown.window.first));
    if (here.upright) return [cells, { x: Math.max(lane.box.x, end - 50), y: y - 20, width: 100, height: 20 }];
    const names = hasGates(frame, partition, shown) ? gateNames(shown.lane, shown.window, shown.replica).taken : [];
    return [cells, { x: lane.box.x, y, width: x - lane.box.x, height: height + 18 }, ...names.map(({ from, to }) => ({ x: from, y: y - 23, width: to - from, height: 16 }))];
  }));
}

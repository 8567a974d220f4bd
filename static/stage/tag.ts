/**
 * The one label of a step, black, or red where something is refused, lost or broken: what came of it. Pure.
 *
 * It stands beside what it is about and on no text that it explains: of the places that suit its kind the first one
 * that is free is taken, else the one that covers least.
 */

import { nothing, svg } from "lit";
import { overlap, round } from "../diagrams/geometry.ts";
import { fieldName } from "../diagrams/field-words.ts";
import type { Frame, Json } from "../player/frame.ts";
import { errorTerm } from "../player/terms.ts";
import { formatValue, say } from "../player/text.ts";
import type { Box, BrokerPlace, Focus, Layer, Places, StageObject } from "./contract.ts";
import { box, fittedText, text, textWidth } from "./draw.ts";
import { copies } from "./brokers.ts";
import { decidedBy } from "./decided.ts";
import { cellBox, shownLane } from "./ghosts.ts";
import type { Shown } from "./ghosts.ts";
import { hasNameAbove } from "./lanes.ts";
import { awayBox, bodiesOf, networkOf } from "./network.ts";

export const HEIGHT = 28;
const SIZES = [17, 15, 13];
const EDGE = 4;

export const tagLayer: Layer = (frame, here, focus) => {
  if (focus.tag === null) return [];
  const said = say(focus.tag.key, focus.tag.params);
  // On a phone a rule that decided has its numbers under the picture.
  const more = here.upright && decidedBy(frame, focus) !== null ? "" : comparedText(focus.compared);
  // Beside a client the name of an error has the width of the network.
  const size = here.upright ? 15 : SIZES.find((one) => textWidth(said, one, true) + 22 <= roomOf(frame, here, focus)) ?? 13;
  const told = more !== "" && !here.upright && isOnRail(here, focus) && round(textWidth(said, size, true) + 22 + textWidth(more, 14) + 18) > roomOf(frame, here, focus) ? "" : more;
  const first = round(textWidth(said, size, true) + 22);
  const own = told === "" ? 0 : round(Math.min(textWidth(told, 14) + 18, roomOf(frame, here, focus)));
  if (told !== "" && first + own > roomOf(frame, here, focus)) {
    const width = Math.max(first, own);
    const height = 2 * HEIGHT - 2;
    const at = placeOf(frame, here, focus, width, height);
    return [{
      key: "tag", ...at, ...termOf(focus.tag), width, height, phase: "tag", depth: 6, hot: true, label: `${said}: ${more}`,
      draw: svg`${box(0.5, HEIGHT - 5, own - 1, HEIGHT + 2, "pill", 4)}${fittedText(9, 2 * HEIGHT - 11, told, own - 16, 14, { classes: "k" })}${
        box(0, 0, first, HEIGHT, focus.bad ? "tag badt" : "tag", 4)}${text(first / 2, 14 + size * 0.33, said, `s${size} inv`, "middle")}`,
    }];
  }
  const width = first + own;
  const at = placeOf(frame, here, focus, width);
  const tag: StageObject = {
    key: "tag", ...at, ...termOf(focus.tag), width, height: HEIGHT, phase: "tag", depth: 6, hot: true, label: more === "" ? said : `${said}: ${more}`,
    draw: svg`${told === "" ? nothing : svg`${box(first - 5, 0.5, width - first + 4.5, HEIGHT - 1, "pill", 4)}${text(first + 7, 19, told, "s14 k")}`}${
      box(0, 0, first, HEIGHT, focus.bad ? "tag badt" : "tag", 4)}${text(first / 2, 14 + size * 0.33, said, `s${size} inv`, "middle")}`,
  };
  return [tag];
};

/** What a coordinator compares are its states, which its own place shows. */
function isOnRail(here: Places, { actor, partition }: Focus): boolean {
  return partition === null && here.brokers[actor ?? ""]?.coordinator != null;
}

/** A tag that names an error tells what it means. */
function termOf({ params }: NonNullable<Focus["tag"]>): Pick<StageObject, "term"> {
  const term = typeof params["error"] === "string" ? errorTerm(params["error"]) : null;
  return term === null ? {} : { term };
}

/** px that a tag has in one line: in the network, beside a client, there are fewer than in the whole picture. */
function roomOf(frame: Frame, here: Places, focus: Focus): number {
  if (here.upright) return here.width - 2 * EDGE;
  if (clientOf(frame, here, focus) !== undefined) return here.network.width - 12;
  // What a broker refuses is told on its own edge, and not over what is on its way to it.
  const broker = here.brokers[focus.actor ?? ""];
  return broker === undefined ? here.width - 2 * EDGE : broker.box.width - 16;
}

const SIDES = /^(arrived|stored|current|expected|known|allowed)[ _]/;

/** `producer epoch 0 < 2` where the engine compared two numbers of one name, else each with its name. */
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
  return compared.slice(0, 2).map(([name, value]) => `${fieldName(String(name))} ${formatValue(value as Json)}`).join(", ");
}

type Spot = readonly [x: number, y: number];

function placeOf(frame: Frame, here: Places, focus: Focus, width: number, height = HEIGHT): { x: number; y: number } {
  const spots = spotsOf(frame, here, focus, width, height).map(([x, y]): Spot => [
    Math.max(EDGE, Math.min(here.width - EDGE - width, x)), Math.max(EDGE, Math.min(here.height - EDGE - height, y)),
  ]);
  const taken = takenBy(frame, here, focus);
  const shown = ["append", "duplicate", "gate", "refused"].includes(focus.kind) ? shownLane(frame, here, focus) : null;
  let best: Spot = spots[0] ?? [EDGE, EDGE];
  let least = Number.POSITIVE_INFINITY;
  for (const [x, y] of spots) {
    const own = { x: x - 2, y: y - 1, width: width + 4, height: height + 2 };
    const cost = taken.filter((one) => overlap(one, own)).reduce((sum, one) => sum + shared(one, own), 0) + (here.upright ? farFrom(shown, y) : 0);
    if (cost < least) [best, least] = [[x, y], cost];
    if (cost === 0) break;
  }
  if (least > COVERS && !here.upright) best = freeNear(here, taken, best, width, height) ?? best;
  return { x: round(best[0]), y: round(best[1]) };
}

/** What it costs to stand away from the lane that a tag is about: beyond the gap over its broker it is taken for another's. */
function farFrom(shown: Shown | null, y: number): number {
  return shown === null ? 0 : Math.max(0, shown.broker.box.y - 44 - y) * 30;
}

/** Units of area that a tag may cover of what it stands on. */
const COVERS = 60;
/** How far a tag goes to stand on nothing. */
const FAR = { x: 200, y: 220, step: 6 };

/** The nearest place that is free, where none of those that suit is. */
function freeNear(here: Places, taken: readonly Box[], [x, y]: Spot, width: number, height: number): Spot | null {
  const found: { spot: Spot; far: number }[] = [];
  for (let down = -FAR.y; down <= FAR.y; down += FAR.step) {
    for (let across = -FAR.x; across <= FAR.x; across += 4 * FAR.step) {
      const spot: Spot = [x + across, y + down];
      const own = { x: spot[0] - 2, y: spot[1] - 1, width: width + 4, height: height + 2 };
      const isInside = spot[0] >= EDGE && spot[1] >= EDGE && spot[0] + width <= here.width - EDGE && spot[1] + height <= here.height - EDGE;
      if (isInside && !taken.some((one) => overlap(one, own))) found.push({ spot, far: Math.abs(across) + Math.abs(down) });
    }
  }
  return found.sort((one, other) => one.far - other.far)[0]?.spot ?? null;
}

function shared(one: Box, other: Box): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return width * height;
}

/** The client that a step is about: itself, or its application. */
function clientOf(frame: Frame, here: Places, focus: Focus): Places["clients"][string] | undefined {
  return here.clients[focus.actor ?? ""] ?? here.clients[frame.view.applications?.[focus.actor ?? ""]?.client ?? ""];
}

/** In the order in which they suit; on a phone, last of all, where no body stands. */
function spotsOf(frame: Frame, here: Places, focus: Focus, width: number, height: number): Spot[] {
  const suiting = suitingSpots(frame, here, focus, width, height);
  return here.upright ? [...suiting, ...underCoordinator(here, focus), ...inNetwork(here, width)] : suiting;
}

/** On a phone markers fly there, from the coordinator to the lane. */
function underCoordinator(here: Places, { partition }: Focus): Spot[] {
  const box = Object.values(here.brokers).find(({ lanes, coordinator }) => coordinator !== null && (partition === null || partition in lanes))?.coordinator?.box
    ?? Object.values(here.brokers).find(({ coordinator }) => coordinator !== null)?.coordinator?.box;
  return box === undefined ? [] : [[box.x + 8, box.y + box.height + 9]];
}

function suitingSpots(frame: Frame, here: Places, focus: Focus, width: number, height: number): Spot[] {
  const shown = shownLane(frame, here, focus);
  if (focus.kind === "lost" || focus.kind === "sent") return besideMessage(frame, here, focus, width);
  if (shown !== null && ["append", "duplicate", "gate", "refused"].includes(focus.kind)) return besideLane(focus, shown, width);
  if (focus.kind === "read") return besideReader(here, focus, width);
  const broker = here.brokers[focus.actor ?? ""];
  if (broker !== undefined && (focus.kind === "coordinator" || focus.kind === "refused") && broker.coordinator !== null) {
    return onBox(broker.coordinator.box, width, height);
  }
  if (broker !== undefined) {
    const right = broker.box.x + broker.box.width - width - 8;
    return [[broker.box.x + 92, broker.box.y + 1], [right, broker.box.y + 1], [right, broker.box.y + broker.box.height - 3], [right, broker.box.y - HEIGHT + 4]];
  }
  const client = clientOf(frame, here, focus);
  if (client !== undefined) return besideClient(here, client.box, client.ports[""]?.[1] ?? client.box.y + 60, width);
  const other = here.others[focus.actor === "zookeeper" && here.kind === "cluster" ? "controller" : focus.actor ?? ""];
  if (other === undefined) return inNetwork(here, width);
  const [over, under, middle] = onBox(other.box, width, height) as [Spot, Spot, Spot];
  const aside: Spot = [other.box.x + other.box.width + 8, other.box.y + (other.box.height - HEIGHT) / 2];
  if (here.kind === "cluster" && !here.upright) return [aside, [other.box.x, other.box.y - HEIGHT - 6]];
  const foot = other.box.y + other.box.height - HEIGHT / 2;
  return here.upright ? [[other.box.x, foot], [under[0], foot], over, middle] : [...asideOf(here, other.box, width), over, middle];
}

/** In the network beside a role: it says its numbers down to its foot. */
function asideOf(here: Places, at: Box, width: number): Spot[] {
  const x = at.x + at.width / 2 > here.width / 2 ? at.x - width - 8 : at.x + at.width + 8;
  return [at.y + 4, at.y + at.height - HEIGHT - 4, at.y + (at.height - HEIGHT) / 2].map((y): Spot => [x, y]);
}

/** Of columns, above everything that stands in them. */
const HEADS = 24;

/** What has no place of its own is told where the network begins. */
function inNetwork({ network, upright }: Places, width: number): Spot[] {
  if (!upright || network.height < HEIGHT) return [[network.x + 8, upright ? EDGE : HEADS + EDGE]];
  const [left, right] = [network.x + 8, network.x + network.width - width - 8];
  const [top, bottom] = [network.y + 3, network.y + network.height - HEIGHT - 3];
  return [[left, top], [right, top], [left, bottom], [right, bottom]];
}

function besideMessage(frame: Frame, here: Places, focus: Focus, width: number): Spot[] {
  const { messages } = focus;
  const ids = [...messages.dropped, ...messages.lost, ...messages.duplicated, ...messages.delayed, ...messages.sent];
  const flight = networkOf(frame, here, focus).flights.find(({ message }) => ids.includes(message.id));
  if (flight === undefined) return inNetwork(here, width);
  const { x, y, width: wide, height } = flight.box;
  const under = flight.fate.note === "" ? 10 : 24;
  const middle = x + (wide - width) / 2;
  // A message at a door stands on the edge of the network: there the tag stays in it.
  const { network } = here;
  const within = Math.max(network.x + 4, Math.min(middle, network.x + network.width - width - 4));
  const aside: Spot[] = here.upright || within === middle ? [] : [[within, y + height + under], [within, y - HEIGHT - 8]];
  return [[middle, y + height + under], [middle, y - HEIGHT - 8], ...aside, [x + wide + 8, y + (height - HEIGHT) / 2], [x - width - 8, y + (height - HEIGHT) / 2]];
}

function besideLane(focus: Focus, shown: Shown, width: number): Spot[] {
  const { lane, replica, window } = shown;
  const { y, height } = lane.cells;
  const right = lane.cells.x + lane.cells.width;
  const stored = focus.offset === null ? undefined : replica.batches[String(focus.offset)];
  const cell = stored === undefined ? null : cellBox(shown, stored);
  const under = y + height + 21;
  const gate = focus.gates[0];
  const start = focus.kind === "gate" && gate !== undefined ? window.x(Math.max(replica[gate], window.first)) - width / 2 : (cell?.x ?? lane.cells.x) - 3;
  const below = Math.min(Math.max(start, lane.cells.x - 4), Math.max(lane.cells.x, right - width));
  const behind = Math.max(window.x(replica.log_end), window.x(Math.max(replica.high_watermark, window.first))) + 16;
  const fits = behind + width <= right;
  const after: Spot[] = fits ? [[behind, y + (height - HEIGHT) / 2]] : [];
  // Under each other bodies leave a gap over the broker: there on either side.
  const left: Spot = [shown.broker.box.x + 8, shown.broker.box.y - HEIGHT - 3];
  const head: Spot = [shown.broker.box.x + shown.broker.box.width - width - 8, shown.broker.box.y + 1];
  const over: Spot = [head[0], shown.broker.box.y - HEIGHT - 3];
  if (focus.kind === "duplicate" || focus.kind === "refused") return [[below, under], ...after, over, head, left];
  return [...after, [below, under], over, head, left];
}

/** On a phone readers stand close under each other: over the first of them there is room. */
function besideReader(here: Places, focus: Focus, width: number): Spot[] {
  const rows = here.readers[focus.partition ?? ""] ?? {};
  const own = besideBox(rows[focus.actor ?? ""]?.box, width);
  const [first] = own;
  if (first === undefined) return own;
  return [...own, [first[0], Math.min(...Object.values(rows).map(({ box: row }) => row.y)) - HEIGHT - 3]];
}

function besideBox(at: Box | undefined, width: number): Spot[] {
  if (at === undefined) return [];
  const x = at.x + at.width - width - 6;
  return [[x, at.y - HEIGHT - 5], [x, at.y + at.height + 5], [at.x - width - 8, at.y + (at.height - HEIGHT) / 2]];
}

/** Over the upper or under the lower edge of a body, so that it covers neither its head nor its last line. */
function onBox(at: Box, width: number, height: number): Spot[] {
  const x = at.x + at.width - width - 8;
  return [[x, at.y - height + 4], [x, at.y + at.height - 3], [at.x + at.width / 2 - width / 2, at.y - height + 4]];
}

/** Right of the client, where its requests leave; on a phone under it, at worst on its lower edge. */
function besideClient(here: Places, at: Box, port: number, width: number): Spot[] {
  const under = at.y + at.height + 3;
  if (here.upright) return [[at.x + at.width - width - 10, under], [at.x + 10, under], [at.x + (at.width - width) / 2, under], [at.x + at.width - width - 10, at.y + at.height - HEIGHT / 2], [at.x + 10, at.y + at.height - HEIGHT / 2], [at.x + (at.width - width) / 2, at.y + at.height - HEIGHT / 2]];
  const x = at.x + at.width + 8;
  return [[x, at.y + 4], [x, port + 34], [x, at.y + at.height - HEIGHT - 8]];
}

/** Messages, and what stands around the cells of the lane that the step is about: offsets below, names of gates above. */
function takenBy(frame: Frame, here: Places, focus: Focus): Box[] {
  const network = networkOf(frame, here, focus);
  const away = awayBox(here, network);
  const columns = here.upright ? [] : [{ x: 0, y: 0, width: here.width, height: HEADS }];
  const flights = network.flights.map(({ box: one, fate }): Box => ({ ...one, height: one.height + (fate.note === "" ? 0 : 16) })).concat(away ?? [], columns, controllerIn(here, focus));
  if (focus.kind === "sent" || focus.kind === "lost") return [...flights, ...bodiesOf(here)];
  if (focus.kind === "read") {
    const rows = Object.values(here.readers[focus.partition ?? ""] ?? {}).map((row) => row.box);
    return [...flights, ...rows, ...(here.upright ? numbersUnder(shownLane(frame, here, focus)) : [])];
  }
  const shown = shownLane(frame, here, focus);
  if (shown === null) return [...flights, ...labelsIn(frame, here, focus), ...(here.kind === "middleware" ? rolesOf(here) : [])];
  const { lane, replica, window } = shown;
  const { x, y, height } = lane.cells;
  const end = window.x(replica.log_end);
  const cells = { x, y: y - 20, width: Math.max(0, end - x), height: height + 38 };
  const gates = [replica.high_watermark, replica.last_stable_offset].map((offset) => ({ x: window.x(Math.max(offset, window.first)) - 36, y: y - 20, width: 72, height: 20 }));
  // Where bodies stand under each other, readers begin right under the lane.
  const others = here.upright ? [...readersIn(here), ...(here.rows ?? [])] : [];
  const ghost = focus.kind === "refused" ? [{ x: end + 18, y, width: 96, height: height + 18 }]
    : focus.kind === "duplicate" ? [{ x, y: y - 38, width: lane.cells.width, height: 38 }] : [];
  return [...flights, cells, ...gates, ...ghost, ...others, ...aroundLane(frame, here, focus, shown)];
}

/** The controller stands in the network; its own steps are told beside it. */
function controllerIn(here: Places, focus: Focus): Box[] {
  const own = here.kind === "cluster" && !here.upright ? here.others["controller"]?.box : undefined;
  return own === undefined || focus.actor === "controller" || focus.actor === "zookeeper" ? [] : [own];
}

/** Names and states of roles stand in the upper part of their bodies; beside a network in all of them. */
function rolesOf(here: Places): Box[] {
  return Object.values(here.others).map(({ box: own }) => ({ ...own, height: here.upright ? own.height - HEIGHT / 2 : own.height }));
}

/** The cells of a lane, with its offsets. */
function numbersUnder(shown: Shown | null): Box[] {
  if (shown === null) return [];
  const { x, y, height } = shown.lane.cells;
  return [{ x, y, width: Math.max(0, shown.window.x(shown.replica.log_end) - x), height: height + 18 }];
}

/** Right in a broker's head: what it keeps of others' partitions. */
function copiesIn(frame: Frame, here: Places, focus: Focus, broker: BrokerPlace): Box {
  const name = Object.keys(here.brokers).find((one) => here.brokers[one] === broker) ?? "";
  const from = copies(frame, here, focus, name, broker).from - 8;
  return { x: broker.box.x + from, y: broker.box.y, width: Math.max(0, broker.box.width - from), height: 26 };
}

/** What else stands in the broker of the lane: its name, its other lanes with their names and gates, its coordinator. */
function aroundLane(frame: Frame, here: Places, focus: Focus, { broker, lane }: Shown): Box[] {
  const named = focus.partition !== null && hasNameAbove(here, focus.partition, lane) ? broker.box.width : 92;
  const found: Box[] = [{ x: broker.box.x, y: broker.box.y, width: named, height: 26 }, copiesIn(frame, here, focus, broker)];
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
    found.push({ x: other.box.x, y: y - 4, width: x - other.box.x, height }, { x: x - 36, y: y - 20, width: end - x + 72, height: height + 38 });
  }
  return found;
}

function readersIn(here: Places): Box[] {
  return Object.values(here.readers).flatMap((rows) => Object.values(rows).map((row) => row.box));
}

/** The head of the broker that the step is about, and offsets and cells in its lanes. */
function labelsIn(frame: Frame, here: Places, focus: Focus): Box[] {
  const broker = here.brokers[focus.actor ?? ""];
  if (broker === undefined && here.upright) return [];
  const whole = focus.kind === "coordinator" || focus.kind === "refused";
  const head: Box[] = broker === undefined ? [] : [whole ? { ...broker.box, height: 26 } : copiesIn(frame, here, focus, broker)];
  // A tag may lie on a coordinator's edges, and on nothing that it says.
  for (const other of Object.values(here.brokers)) {
    const { box: own, coordinator } = other;
    if (!here.upright) head.push({ ...own, width: 100, height: 24 }, { ...copiesIn(frame, here, focus, other), height: 24 });
    if (coordinator !== null) head.push({ ...coordinator.box, y: coordinator.box.y + 5, height: coordinator.box.height - 9 });
  }
  const named = here.upright ? [focus.actor ?? ""] : Object.keys(here.brokers);
  return head.concat(named.flatMap((actor) => Object.entries(here.brokers[actor]?.lanes ?? {}).flatMap(([partition, lane]): Box[] => {
    const shown = lane.strip ? null : shownLane(frame, here, { ...focus, actor, partition });
    if (shown === null) return [];
    const { x, y, height } = shown.lane.cells;
    const cells = { x, y: y - 20, width: Math.max(0, shown.window.x(shown.replica.log_end) - x), height: height + 38 };
    return here.upright ? [cells] : [cells, { x: lane.box.x, y, width: x - lane.box.x, height }];
  })), here.upright ? [] : readersIn(here));
}

/**
 * Fixed places on a phone. Every client and every broker of the run has a small box, where messages leave and arrive:
 * clients above the network, brokers below it. One client, one broker with one lane and its consumers, and the
 * coordinator of the step are unfolded, each in a large box: the client's above the row of small client boxes, the
 * broker's below the row of small broker boxes. If a run has only one client or one broker, that one has only the large
 * box. The focus decides which of them are unfolded; partitions without a row are named below the picture. Pure.
 */

import { clamp, round } from "../diagrams/geometry.ts";
import { besidePhone } from "./beside-places.ts";
import type { Box, BrokerPlace, LanePlace, Places, Size, StagePlan } from "./contract.ts";
import { CORNERS, TOOL } from "./contract.ts";
import { textWidth } from "./draw.ts";
import { huesOf } from "./outline.ts";
import { ARRIVAL, lanePlace, rounded, rowsIn } from "./places-desk.ts";

const WIDTH = { least: 360, most: 520 };
const SIDE = 10;
/**
 * px between boxes, above the first one and below a lane: `TIGHT` is used if the picture then fits and with `WIDE` does
 * not.
 */
const WIDE = { gap: 6, top: 3, foot: 6 };
const TIGHT = { gap: 3, top: 1, foot: 2 };
const CLIENT = 86;
/** Height of the unfolded client if there are small boxes, which name every client and its identity. */
const CLIENT_PANEL = 60;
const NETWORK = { least: 47, beside: 84, most: 130 };
const BESIDE = 30;
/** A picture lower than this, in units, shows only a lane without scrolling. */
const LOW = 240;
/** Height above a broker's cells, in units: for its name, and under it for a batch that arrives over a cell. */
const HEAD = 31;
/** Width of an offset while a log is short, in units: a cell then has room for two figures and an identity. */
const NEAR = 64;
/** Heights of a lane, in units. `whole`: with two lines in each cell. */
const LANE = { least: 71, whole: 84, most: 120 };
/**
 * Heights of the consumers below a lane, in units. `one`: at most one consumer at each lane; `least`: the least height
 * for several.
 */
const READERS = { one: 45, least: 57, most: 84 };
/**
 * Heights of a coordinator, in units: without and with the entries of its log; `besideGroup`, `grouped`: the same two
 * with the offsets of a group below.
 */
const COORDINATOR = { least: 62, most: 84, besideGroup: 78, grouped: 98 };
const MARKERS = 37;
/** The most rows for strips of other partitions, their height, and the px between them. */
const ROW = { most: 2, height: 23, gap: 4 };
/**
 * Small boxes, in units: one line for a client; for a broker a line, and rows for strips of the partitions that it
 * leads. `clients`, `brokers`: the most boxes side by side.
 */
const CHIP = { client: 22, head: 20, row: 15, rows: 2, foot: 5, clients: 4, brokers: 6, gap: 6 };
/** px under the picture for the names of components that it leaves out and for its text. */
const UNDER = 28;
/** Shares of the width at which requests go down and responses come up. */
const DOWN = 0.29;
const UP = 0.69;

export interface Slots {
  client: Box;
  broker: Box;
  lane: Box;
  readers: Box | null;
  coordinator: Box | null;
  rows: Box[];
  /** The small boxes of all clients and of all brokers, in their order; empty if there is only one. */
  clientChips: Box[];
  brokerChips: Box[];
  down: number;
  up: number;
}

export function phoneWidth(size: Size): number {
  return clamp(size.width, WIDTH.least, WIDTH.most);
}

/**
 * `count` boxes of the same size, at most `most` side by side, in rows as even as possible; with the height of all
 * rows. None for fewer than two.
 */
function chipsIn(count: number, most: number, y: number, width: number, height: number): { boxes: Box[]; height: number } {
  if (count < 2) return { boxes: [], height: 0 };
  const lines = Math.ceil(count / most);
  const across = Math.ceil(count / lines);
  const own = (width - 2 * SIDE - CHIP.gap * (across - 1)) / across;
  const boxes = Array.from({ length: count }, (_, index) => rounded({
    x: SIDE + (index % across) * (own + CHIP.gap), y: y + Math.floor(index / across) * (height + CHIP.gap), width: own, height,
  }));
  return { boxes, height: lines * (height + CHIP.gap) };
}

/**
 * The number of rows for strips in the small box of a broker: as many as the most partitions that one of the brokers
 * ever leads, within limits.
 */
const chipRows = (plan: StagePlan): number => clamp(Math.max(0, ...plan.brokers.map(({ lanes }) => lanes.length)), 1, CHIP.rows);

/**
 * The places of everything on a phone. All heights start at their least; the spare height goes to the network, the
 * coordinator, the lane and the consumers.
 */
export function slotsOf(plan: StagePlan, size: Size): { width: number; height: number; slots: Slots } {
  const width = phoneWidth(size);
  const given = (size.height - UNDER) / (size.width / width);
  const readers = plan.consumers.length > 0;
  const several = Object.keys(plan.lanes).some((name) => plan.consumers.filter(({ lanes }) => lanes.includes(name)).length > 1);
  const leastReaders = several ? READERS.least : READERS.one;
  const coordinates = plan.brokers.some((broker) => broker.transactional_ids.length > 0);
  const groups = plan.brokers.some((broker) => broker.groups.length > 0);
  const lowest = groups ? COORDINATOR.besideGroup : COORDINATOR.least;
  const client = plan.clients.length > 0;
  const used = new Set(plan.brokers.flatMap((broker) => broker.lanes)).size;
  const rows = chipRows(plan);
  const brokerChip = CHIP.head + rows * CHIP.row + CHIP.foot;
  const small = { clients: chipsIn(plan.clients.length, CHIP.clients, 0, width, CHIP.client).height, brokers: chipsIn(plan.brokers.length, CHIP.brokers, 0, width, brokerChip).height };
  // If brokers have small boxes, the strips of their partitions stand in these, and markers fly from box to box.
  const count = small.brokers > 0 ? 0 : Math.max(0, Math.min(ROW.most, used - 1));
  const ownClient = small.clients > 0 ? CLIENT_PANEL : CLIENT;
  const markersAt = ({ gap }: typeof WIDE): number => (small.brokers > 0 ? gap : MARKERS);
  const leastAt = (apart: typeof WIDE): number => small.clients + small.brokers + (client ? ownClient + NETWORK.least : 0) + HEAD + LANE.least + apart.foot + (readers ? leastReaders + apart.gap : 0) + (coordinates ? lowest + markersAt(apart) : 0) + count * (ROW.height + ROW.gap) + 2 * apart.top + apart.gap;
  const apart = leastAt(WIDE) > given && leastAt(TIGHT) <= given ? TIGHT : WIDE;
  const least = leastAt(apart);
  // A picture that scrolls anyway gets room for a tag beside its messages, unless rows for strips need the room to be
  // visible.
  const more = client && small.brokers === 0 && given < least && (count === 0 || given < LOW) ? BESIDE : 0;
  let spare = Math.max(0, given - least);
  const take = (most: number): number => {
    const taken = Math.min(spare, most);
    spare -= taken;
    return taken;
  };
  // Messages between the boxes of several brokers stand side by side, so the network's height has precedence.
  const early = small.brokers > 0 && client ? take(NETWORK.beside - NETWORK.least) : 0;
  const coordinatorHeight = coordinates ? lowest + take((groups ? COORDINATOR.grouped : COORDINATOR.most) - lowest) : 0;
  // Messages get two rows before cells grow.
  const whole = LANE.least + take(LANE.whole - LANE.least);
  const network = client ? NETWORK.least + more + early + take(NETWORK.most - NETWORK.least - early) : 0;
  const lane = whole + take(LANE.most - whole);
  const tall = client ? ownClient : 0;
  const lines = readers ? leastReaders + take(READERS.most - leastReaders) : 0;
  const own = width - 2 * SIDE;
  let y = apart.top;
  const next = (height: number, gap = 0): Box => {
    const box = rounded({ x: SIDE, y, width: own, height });
    y += height + gap;
    return box;
  };
  const clientBox = next(tall, small.clients > 0 ? 2 : 0);
  const clientChips = chipsIn(plan.clients.length, CHIP.clients, y, width, CHIP.client);
  y += Math.max(0, clientChips.height - 2) + network;
  const brokerChips = chipsIn(plan.brokers.length, CHIP.brokers, y, width, brokerChip);
  y += brokerChips.height;
  // With only one broker, markers fly from the coordinator down to the lane.
  const coordinator = coordinates ? next(coordinatorHeight, markersAt(apart)) : null;
  const broker = next(HEAD + lane + apart.foot, apart.gap);
  const readersBox = readers ? next(lines, apart.gap) : null;
  const strips = Array.from({ length: count }, () => next(ROW.height, ROW.gap));
  return {
    width, height: round(Math.max(given, y + apart.top)),
    slots: {
      client: clientBox, broker, lane: { ...broker, y: broker.y + HEAD, height: lane }, readers: readersBox, coordinator, rows: strips,
      clientChips: clientChips.boxes, brokerChips: brokerChips.boxes,
      down: round(width * DOWN), up: round(width * UP),
    },
  };
}

/** The one row of a client's queues, for the partition that the step is about. */
function rowOf({ x, y, width, height }: Box): Places["clients"][string]["queues"][string] {
  const row = { x: x + 12, y: y + height - 33, width: width - 20, height: 28 };
  const waiting = { ...row, x: x + 58, width: (width - 74) / 2 };
  return { row, waiting, sent: { ...waiting, x: waiting.x + waiting.width + 8 } };
}

const LABEL = { least: 56, most: 168 };
/** Width at the right end of a strip for its offsets, in units. */
const GATES = 92;

/** A strip in a row of its own: the partition with its broker, its batches, and at which offsets consumers stop. */
export function rowLane(span: { first: number; end: number }, name: string, broker: string, row: Box): LanePlace {
  const label = clamp(textWidth(name, 12, true) + 6 + textWidth(broker, 12) + 28, LABEL.least, LABEL.most);
  return lanePlace(span, row, true, label, GATES);
}

/** A strip in the small box of its broker. */
export function chipLane(span: { first: number; end: number }, name: string, row: Box): LanePlace {
  const label = clamp(textWidth(name, 12, true) + 14, 26, row.width * 0.5);
  return lanePlace(span, row, true, label, -14);
}

/**
 * The places on a phone. All clients share one large place, and so do all brokers; `standing` gives it to those of the
 * focus.
 */
export function phonePlaces(plan: StagePlan, size: Size): Places {
  const { width, height, slots } = slotsOf(plan, size);
  const beside = besidePhone(plan, SIDE, height, width - 2 * SIDE);
  const lowestClient = slots.clientChips.at(-1) ?? slots.client;
  const bottom = lowestClient.y + lowestClient.height;
  const top = (slots.brokerChips[0] ?? slots.coordinator ?? slots.broker).y;
  const clients: Places["clients"] = {};
  plan.clients.forEach((client, index) => {
    const names = ["", ...client.partitions];
    const row = rowOf(slots.client);
    const chip = slots.clientChips[index];
    clients[client.name] = {
      box: chip ?? slots.client, ...(chip === undefined ? {} : { panel: slots.client }), folded: false,
      ports: Object.fromEntries(names.map((name) => [name, [slots.down, bottom] as const])),
      queues: Object.fromEntries(client.partitions.map((name) => [name, row])),
    };
  });
  const brokers: Record<string, BrokerPlace> = {};
  plan.brokers.forEach((broker, index) => {
    const chip = slots.brokerChips[index];
    const port = [slots.down, chip?.y ?? top] as const;
    const lanes = Object.fromEntries(broker.lanes.map((name) => {
      const span = plan.lanes[name];
      // A refused batch stands after the log, and not on a stored batch.
      const place = lanePlace(span ?? { first: 0, end: 8 }, slots.lane, false, 56, span?.refuses === true ? ARRIVAL : 0);
      return [name, { ...place, cells: { ...place.cells, near: NEAR }, port }];
    }));
    brokers[broker.name] = {
      box: chip ?? slots.broker, port, lanes, folded: false,
      ...(chip === undefined ? {} : { panel: slots.broker, rows: chipRowsIn(chip) }),
      coordinator: slots.coordinator === null ? null : {
        box: slots.coordinator, port: [slots.down, top], markers: [slots.up, slots.coordinator.y + slots.coordinator.height],
        ...(broker.transactional_ids.length === 0 ? { spare: true } : {}),
      },
    };
  });
  const readers: Places["readers"] = {};
  if (slots.readers !== null) for (const name of Object.keys(plan.lanes)) readers[name] = rowsIn(plan, name, slots.readers);
  return {
    kind: "cluster", form: "phone", width, height: round(height + beside.height), hue: huesOf(plan), clients, brokers, readers,
    // Controller and tool act one at a time, in the place of the client.
    others: { ...Object.fromEntries(CORNERS.filter((name) => (name === TOOL ? plan.tool === true : plan.controller))
      .map((name) => [name, { box: slots.client, port: [slots.down, slots.client.y + slots.client.height] as const }])), ...beside.others },
    network: { x: SIDE, y: bottom, width: width - 2 * SIDE, height: top - bottom }, fetches: null, lens: null, upright: true, rows: slots.rows,
    away: { clients: [], brokers: [], lanes: [], readers: [] },
  };
}

function chipRowsIn({ x, y, width, height }: Box): Box[] {
  const count = Math.round((height - CHIP.head - CHIP.foot) / CHIP.row);
  return Array.from({ length: count }, (_, index) => rounded({ x, y: y + CHIP.head + index * CHIP.row, width, height: CHIP.row }));
}

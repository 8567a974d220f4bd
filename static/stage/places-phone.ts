/**
 * Computes the fixed places on a phone. Every client and every broker of the run has a small box, where messages leave
 * and arrive: clients above the network, brokers below it. In addition, one client, one broker with one lane and its
 * consumers, and one coordinator are unfolded, each in a large box: the client's above the row of small client boxes,
 * the broker's below the row of small broker boxes. The step decides which ones. If a run has only one client or one
 * broker, that one has only the large box. Partitions that are not in the picture are named below it. Pure.
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
 * Units between boxes (`gap`), above the first one (`top`) and below a lane (`foot`). `TIGHT` is used if the picture
 * fits only with it, else `WIDE`.
 */
const WIDE = { gap: 6, top: 3, foot: 6 };
const TIGHT = { gap: 3, top: 1, foot: 2 };
const CLIENT = 86;
/** Units of height of the unfolded client if there are small boxes, which already have every client's identity. */
const CLIENT_PANEL = 60;
const NETWORK = { least: 47, beside: 84, most: 130 };
const BESIDE = 30;
/** In a picture lower than this, in units, only the lane is visible without scrolling. */
const LOW = 240;
/** Units above a broker's cells, for its name and for an arriving batch that is drawn above a cell. */
const HEAD = 31;
/** The greatest width of an offset while a log is short, in units: room for an identity and a number of two digits. */
const NEAR = 64;
/** Heights of a lane, in units. `whole`: the least with which cells have two lines. */
const LANE = { least: 71, whole: 84, most: 120 };
/**
 * Heights of the consumers' box below a lane, in units. `one`: the least if no lane has more than one consumer;
 * `least`: the least if one has several.
 */
const READERS = { one: 45, least: 57, most: 84 };
/**
 * Heights of a coordinator, in units. `least`: without the entries of its log; `most`: with them; `besideGroup`,
 * `grouped`: the same two if the offsets of a group are below.
 */
const COORDINATOR = { least: 62, most: 84, besideGroup: 78, grouped: 98 };
const MARKERS = 37;
/** Rows for strips of other partitions: the most rows, and in units their height and the gap between them. */
const ROW = { most: 2, height: 23, gap: 4 };
/**
 * Small boxes. In units: `client`: height of a client's; `head`, `row`, `foot`: heights of the parts of a broker's,
 * which has up to `rows` rows for strips of its partitions; `gap`: between boxes. `clients`, `brokers`: the most boxes
 * side by side.
 */
const CHIP = { client: 22, head: 20, row: 15, rows: 2, foot: 5, clients: 4, brokers: 6, gap: 6 };
/** px below the picture for the line that names the components that it leaves out. */
const UNDER = 28;
/** The x at which requests go down and responses come up, as shares of the picture's width. */
const DOWN = 0.29;
const UP = 0.69;

export interface Slots {
  client: Box;
  broker: Box;
  lane: Box;
  readers: Box | null;
  coordinator: Box | null;
  rows: Box[];
  /** The small boxes of all clients; empty if there is only one client. `brokerChips`: the same for brokers. */
  clientChips: Box[];
  brokerChips: Box[];
  down: number;
  up: number;
}

export function phoneWidth(size: Size): number {
  return clamp(size.width, WIDTH.least, WIDTH.most);
}

/**
 * `count` boxes of the same size, at most `most` side by side, in rows with as equal numbers of boxes as possible; and
 * the height of all rows. No boxes if `count` is below two.
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
 * The number of rows for strips in each broker's small box: as many as the greatest number of partitions that one of
 * the brokers leads during the run, within limits.
 */
const chipRows = (plan: StagePlan): number => clamp(Math.max(0, ...plan.brokers.map(({ lanes }) => lanes.length)), 1, CHIP.rows);

/**
 * The boxes of everything on a phone, and the size of the picture in units. All parts have at least their least
 * heights; the spare height goes to the network, the coordinator, the lane and the consumers.
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
  // If brokers have small boxes, the strips are in these, and markers fly between them; so neither needs room of its
  // own.
  const count = small.brokers > 0 ? 0 : Math.max(0, Math.min(ROW.most, used - 1));
  const ownClient = small.clients > 0 ? CLIENT_PANEL : CLIENT;
  const markersAt = ({ gap }: typeof WIDE): number => (small.brokers > 0 ? gap : MARKERS);
  const leastAt = (apart: typeof WIDE): number => small.clients + small.brokers + (client ? ownClient + NETWORK.least : 0) + HEAD + LANE.least + apart.foot + (readers ? leastReaders + apart.gap : 0) + (coordinates ? lowest + markersAt(apart) : 0) + count * (ROW.height + ROW.gap) + 2 * apart.top + apart.gap;
  const apart = leastAt(WIDE) > given && leastAt(TIGHT) <= given ? TIGHT : WIDE;
  const least = leastAt(apart);
  // A picture that has to scroll anyway gets additional room for a tag beside messages, unless it has rows for strips
  // that would then not be visible.
  const more = client && small.brokers === 0 && given < least && (count === 0 || given < LOW) ? BESIDE : 0;
  let spare = Math.max(0, given - least);
  const take = (most: number): number => {
    const taken = Math.min(spare, most);
    spare -= taken;
    return taken;
  };
  // With several brokers, messages are side by side, so spare height goes to the network first.
  const early = small.brokers > 0 && client ? take(NETWORK.beside - NETWORK.least) : 0;
  const coordinatorHeight = coordinates ? lowest + take((groups ? COORDINATOR.grouped : COORDINATOR.most) - lowest) : 0;
  // Then the lane gets room for cells with two lines, then the network for two rows of messages, then the lane again.
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

/** The only row for a client's queues, in the client's large box: it shows the partition that the step is about. */
function rowOf({ x, y, width, height }: Box): Places["clients"][string]["queues"][string] {
  const row = { x: x + 12, y: y + height - 33, width: width - 20, height: 28 };
  const waiting = { ...row, x: x + 58, width: (width - 74) / 2 };
  return { row, waiting, sent: { ...waiting, x: waiting.x + waiting.width + 8 } };
}

const LABEL = { least: 56, most: 168 };
/** Units at the right end of a strip for the offsets of its gates. */
const GATES = 92;

/**
 * The place of a strip in a row of its own: the names of partition and broker, the batches, then the gates' offsets.
 */
export function rowLane(span: { first: number; end: number }, name: string, broker: string, row: Box): LanePlace {
  const label = clamp(textWidth(name, 12, true) + 6 + textWidth(broker, 12) + 28, LABEL.least, LABEL.most);
  return lanePlace(span, row, true, label, GATES);
}

/** The place of a strip in a row of its broker's small box. */
export function chipLane(span: { first: number; end: number }, name: string, row: Box): LanePlace {
  const label = clamp(textWidth(name, 12, true) + 14, 26, row.width * 0.5);
  return lanePlace(span, row, true, label, -14);
}

/**
 * The places on a phone. All clients share one large box, and so do all brokers; `standing` gives it to the one that
 * the step is about.
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
      // If the plan says that a batch is refused, there is room for it after the log.
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
    // The controller and the tool are drawn in the client's box, when one of them acts.
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

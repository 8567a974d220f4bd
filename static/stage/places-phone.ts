/**
 * Fixed places on a phone: one client above (or the controller), the network, the coordinator where the run has one, one broker with one lane, its
 * readers, and rows for strips of other partitions. Who stands in them follows the focus; the others are told under the picture. Pure.
 */

import { clamp, round } from "../diagrams/geometry.ts";
import type { Box, BrokerPlace, LanePlace, Places, Size, StagePlan } from "./contract.ts";
import { textWidth } from "./draw.ts";
import { huesOf } from "./outline.ts";
import { lanePlace, rounded, rowsIn } from "./places-desk.ts";

const WIDTH = { least: 360, most: 520 };
const SIDE = 10;
const GAP = 6;
const TOP = 3;
const CLIENT = 86;
const NETWORK = { least: 47, most: 130 };
const BESIDE = 30;
/** px of a picture that shows no more than a lane at once. */
const LOW = 240;
const HEAD = 27;
const LANE = { least: 71, most: 120 };
const READERS = { least: 57, most: 84 };
/** With room for what its log holds, or without; and the same with the offsets of a group under that. */
const COORDINATOR = { least: 62, most: 84, besideGroup: 78, grouped: 98 };
const MARKERS = 37;
/** Rows for strips of other partitions, and px between them. */
const ROW = { most: 2, height: 23, gap: 4 };
/** px under the picture for the names of those who are not in it, and for its text. */
const UNDER = 28;
/** Where requests go down and answers come up. */
const DOWN = 0.29;
const UP = 0.69;

export interface Slots {
  client: Box;
  broker: Box;
  lane: Box;
  readers: Box | null;
  coordinator: Box | null;
  rows: Box[];
  down: number;
  up: number;
}

export function phoneWidth(size: Size): number {
  return clamp(size.width, WIDTH.least, WIDTH.most);
}

/** Heights: all at their least, then what is left goes to the network, the lane and the client. */
export function slotsOf(plan: StagePlan, size: Size): { width: number; height: number; slots: Slots } {
  const width = phoneWidth(size);
  const given = (size.height - UNDER) / (size.width / width);
  const readers = plan.consumers.length > 0;
  const coordinates = plan.brokers.some((broker) => broker.transactional_ids.length > 0);
  const groups = plan.brokers.some((broker) => broker.groups.length > 0);
  const lowest = groups ? COORDINATOR.besideGroup : COORDINATOR.least;
  const client = plan.clients.length > 0;
  const used = new Set(plan.brokers.flatMap((broker) => broker.lanes)).size;
  const count = Math.max(0, Math.min(ROW.most, used - 1));
  const least = (client ? CLIENT + NETWORK.least : 0) + HEAD + LANE.least + 6 + (readers ? READERS.least + GAP : 0) + (coordinates ? lowest + MARKERS : 0) + count * (ROW.height + ROW.gap) + 2 * TOP + GAP;
  // What is scrolled anyway has room for a tag beside its messages, unless rows need it to be seen.
  const more = client && given < least && (count === 0 || given < LOW) ? BESIDE : 0;
  let spare = Math.max(0, given - least);
  const take = (most: number): number => {
    const taken = Math.min(spare, most);
    spare -= taken;
    return taken;
  };
  const coordinatorHeight = coordinates ? lowest + take((groups ? COORDINATOR.grouped : COORDINATOR.most) - lowest) : 0;
  const lane = LANE.least + take(LANE.most - LANE.least);
  const network = client ? NETWORK.least + more + take(NETWORK.most - NETWORK.least) : 0;
  const tall = client ? CLIENT : 0;
  const lines = readers ? READERS.least + take(READERS.most - READERS.least) : 0;
  const own = width - 2 * SIDE;
  let y = TOP;
  const next = (height: number, gap = 0): Box => {
    const box = rounded({ x: SIDE, y, width: own, height });
    y += height + gap;
    return box;
  };
  const clientBox = next(tall);
  y += network;
  // Markers fly from the coordinator down to the lane.
  const coordinator = coordinates ? next(coordinatorHeight, MARKERS) : null;
  const broker = next(HEAD + lane + 6, GAP);
  const readersBox = readers ? next(lines, GAP) : null;
  const rows = Array.from({ length: count }, () => next(ROW.height, ROW.gap));
  return {
    width, height: round(Math.max(given, y + TOP)),
    slots: {
      client: clientBox, broker, lane: { ...broker, y: broker.y + HEAD, height: lane }, readers: readersBox, coordinator, rows,
      down: round(width * DOWN), up: round(width * UP),
    },
  };
}

/** One row, for the partition that the step is about. */
function rowOf({ x, y, width, height }: Box): Places["clients"][string]["queues"][string] {
  const row = { x: x + 12, y: y + height - 33, width: width - 20, height: 28 };
  const waiting = { ...row, x: x + 58, width: (width - 74) / 2 };
  return { row, waiting, sent: { ...waiting, x: waiting.x + waiting.width + 8 } };
}

const LABEL = { least: 56, most: 168 };
/** px at the right end of a strip, for its offsets. */
const GATES = 92;

/** A strip in its row: the partition with the broker that has it, its batches, and where readers stop. */
export function rowLane(span: { first: number; end: number }, name: string, broker: string, row: Box): LanePlace {
  const label = clamp(textWidth(name, 12, true) + 6 + textWidth(broker, 12) + 28, LABEL.least, LABEL.most);
  return lanePlace(span, row, true, label, GATES);
}

/** Every client has the one place, every broker the other; `standing` leaves those of the focus. */
export function phonePlaces(plan: StagePlan, size: Size): Places {
  const { width, height, slots } = slotsOf(plan, size);
  const bottom = slots.client.y + slots.client.height;
  const top = (slots.coordinator ?? slots.broker).y;
  const clients: Places["clients"] = {};
  for (const client of plan.clients) {
    const names = ["", ...client.partitions];
    const row = rowOf(slots.client);
    clients[client.name] = {
      box: slots.client, folded: false, ports: Object.fromEntries(names.map((name) => [name, [slots.down, bottom] as const])),
      queues: Object.fromEntries(client.partitions.map((name) => [name, row])),
    };
  }
  const brokers: Record<string, BrokerPlace> = {};
  for (const broker of plan.brokers) {
    const lanes = Object.fromEntries(broker.lanes.map((name) => {
      const place = lanePlace(plan.lanes[name] ?? { first: 0, end: 8 }, slots.lane, false, 56);
      return [name, { ...place, port: [slots.down, top] as const }];
    }));
    brokers[broker.name] = {
      box: slots.broker, port: [slots.down, top], lanes, folded: false,
      coordinator: slots.coordinator === null || broker.transactional_ids.length === 0 ? null
        : { box: slots.coordinator, port: [slots.down, top], markers: [slots.up, slots.coordinator.y + slots.coordinator.height] },
    };
  }
  const readers: Places["readers"] = {};
  if (slots.readers !== null) for (const name of Object.keys(plan.lanes)) readers[name] = rowsIn(plan, name, slots.readers);
  return {
    kind: "cluster", form: "phone", width, height, hue: huesOf(plan), clients, brokers, readers,
    others: plan.controller ? { controller: { box: slots.client, port: [slots.down, bottom] } } : {},
    network: { x: SIDE, y: bottom, width: width - 2 * SIDE, height: top - bottom }, fetches: null, lens: null, upright: true, rows: slots.rows,
    away: { clients: [], brokers: [], lanes: [], readers: [] },
  };
}

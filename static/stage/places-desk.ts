/**
 * Computes the fixed places on the screen of a computer or a projector, from left to right: clients, the network,
 * brokers with their lanes, consumers. Pure.
 *
 * The first layout that fits is taken: high lanes, low lanes, the lowest lanes; then the same with slightly smaller
 * letters. If none fits, lanes are strips (places-strips.ts).
 */

import { clamp, round } from "../diagrams/geometry.ts";
import { besideBrokers, besideClients, besidePlaces } from "./beside-places.ts";
import type { Box, BrokerPlace, ClientPlace, LanePlace, OtherPlace, Places, Point, ReaderPlace, Size, StagePlan } from "./contract.ts";
import { CORNERS, OFFSET_LEAST, TOOL } from "./contract.ts";
import { textWidth } from "./draw.ts";
import { LEGEND, SIGN } from "./legend-size.ts";
import { huesOf } from "./outline.ts";

const MARGIN = 24;
export const TOP = 28;
const BOTTOM = 10;
const CLIENT = 232;
const READER = 210;
/** Units of width between brokers and consumers, for fetches. */
const FETCH = 66;
const NETWORK = 264;
const HEAD = 27;
/** Units of height of a broker that is one line, because it leads nothing. */
const LINE = 30;
const RAIL = 84;
const GROUP_LINE = 20;
const LABEL = { least: 72, most: 150 };
const GAP = { most: 16, least: 6 };
/** Units above the cells of a lane for the names of gates, and below the cells for offsets. */
export const ABOVE = 22;
export const BELOW = 22;
/**
 * Heights of a cell, in units. `most`, `least`: in a cluster; `log`: the greatest in a log case, whose lanes have the
 * whole height.
 */
const CELL = { most: 60, log: 112, least: 30 };
/** The width of the picture, in units, if one unit is the full size, so that letters have their full size. */
const WIDTH = 1280;
/** Units above the cells of a high lane for an arriving batch that is compared with a stored one. */
const OVER = 24;
const SCALE = { most: 2.6, least: 0.86, fewer: [1, 0.95, 0.9] };
/**
 * Factors by which the picture of a log case may be enlarged, the largest first, because it has no clients and no
 * network. Its lanes keep their width.
 */
const LARGE = [1.35, 1.25, 1.15] as const;
const UNIT = { least: OFFSET_LEAST, most: 92 };
/** Units after the newest offset for a refused batch, which is drawn after the gates. */
export const ARRIVAL = 76;
/**
 * For a lane with more offsets than fit. `unit`: units of an offset; `most`: the most offsets that a batch's width
 * takes.
 */
const LONG = { unit: 40, most: 3 };

/** Heights of a lane in units, the roomiest first. */
const TIERS: readonly number[] = [88, 78, 72];

/**
 * A broker of the plan with the content that needs room in its box: lanes, a coordinator's states, a group's offsets.
 */
export interface Rows {
  name: string;
  lanes: string[];
  coordinates: boolean;
  groups: boolean;
}

/** The places on the screen of a computer or a projector; null if the plan does not fit even with the lowest lanes. */
export function deskPlaces(plan: StagePlan, size: Size, isLog = false): Places | null {
  const widest = widestScale(size);
  const rows = rowsOf(plan);
  const coordinators = rows.filter((row) => row.coordinates || row.groups).length;
  for (const shares of coordinators > 1 ? [false, true] : [false]) {
    const own = shares ? rows.map((row) => ({ ...row, coordinates: false, groups: false })) : rows;
    const slot = (shares ? sharedHeight(rows) + GAP.least : 0) + besideBrokers(plan);
    for (const share of isLog ? [...LARGE, ...SCALE.fewer] : SCALE.fewer) {
      const scale = widest * share;
      if (scale < SCALE.least) continue;
      for (const tier of TIERS) {
        const height = size.height / scale;
        if (needed(own, tier) + slot > height) continue;
        const made = laidOut(plan, own, tier, size.form, size.width / scale, height, slot, isLog ? CELL.log : CELL.most);
        return shares ? sharing(made, rows, besideBrokers(plan)) : made;
      }
    }
  }
  return null;
}

function sharedHeight(rows: readonly Rows[]): number {
  return RAIL + (rows.some((row) => row.groups) ? GROUP_LINE : 0);
}

/**
 * The places, in which all coordinators share one place below the brokers. It shows the coordinator that the step is
 * about. `below`: units kept free under it.
 */
function sharing(made: Places, rows: readonly Rows[], below: number): Places {
  const height = sharedHeight(rows);
  const [first] = Object.values(made.brokers);
  if (first === undefined) return made;
  const slot = rounded({ x: first.box.x, y: made.height - BOTTOM - below - height, width: first.box.width, height });
  const place = { box: slot, port: [slot.x, slot.y + 34] as const, markers: [slot.x, slot.y + 66] as const, shared: true };
  const brokers = Object.fromEntries(rows.flatMap((row): [string, BrokerPlace][] => {
    const broker = made.brokers[row.name];
    return broker === undefined ? [] : [[row.name, row.coordinates || row.groups ? { ...broker, coordinator: place } : broker]];
  }));
  return { ...made, brokers };
}

/**
 * CSS px per unit before the letters are made smaller (`SCALE.fewer`): the picture is then WIDTH units wide, unless a
 * limit of SCALE applies.
 */
export function widestScale(size: Size): number {
  return clamp(size.width / WIDTH, SCALE.least, SCALE.most);
}

/** The lanes that never hold a record. They take no room; a note names them. */
export function emptyLanes(plan: StagePlan): string[] {
  const lanes = Object.entries(plan.lanes).filter(([, lane]) => !lane.internal);
  const empty = lanes.filter(([, lane]) => lane.end <= lane.first).map(([name]) => name);
  return empty.length === lanes.length ? [] : empty;
}

export function rowsOf(plan: StagePlan): Rows[] {
  const empty = new Set(emptyLanes(plan));
  return plan.brokers.map((broker) => ({
    name: broker.name,
    lanes: broker.lanes.filter((lane) => !empty.has(lane)),
    coordinates: broker.transactional_ids.length > 0,
    groups: broker.groups.length > 0,
  }));
}

export function isLine(row: Rows): boolean {
  return row.lanes.length === 0 && !row.coordinates && !row.groups;
}

function rowHeight(row: Rows, lane: number): number {
  if (isLine(row)) return LINE;
  return HEAD + row.lanes.length * lane + (row.coordinates ? RAIL + 4 : 0) + (row.groups ? GROUP_LINE : 0) + 4;
}

function needed(rows: readonly Rows[], lane: number): number {
  const brokers = rows.reduce((sum, row) => sum + rowHeight(row, lane), 0);
  return TOP + BOTTOM + brokers + GAP.least * Math.max(0, rows.length - 1);
}

export interface Columns {
  clients: number;
  network: [number, number];
  brokers: [number, number];
  readers: [number, number] | null;
  /** The column of the legend, as its left and right x, if there are no consumers; else null. */
  legend: [number, number] | null;
}

export function columnsOf(plan: StagePlan, width: number): Columns {
  const spare = Math.max(0, width - WIDTH);
  const scarce = Math.min(0, width - WIDTH);
  const clients = plan.clients.length > 0 || plan.services !== undefined ? CLIENT : 0;
  const left = clients === 0 ? MARGIN : MARGIN + clients;
  const network = clients === 0 ? 0 : NETWORK + spare * 0.3 + scarce * 0.4;
  const right = width - MARGIN;
  // In a narrow picture, each column gives up a part of its width; the column of brokers gives up least.
  const lacks = clients === 0 ? 0 : scarce;
  const readers: [number, number] | null = plan.consumers.length > 0 ? [right - READER - lacks * 0.15, right] : null;
  const legend: [number, number] | null = readers === null && clients > 0 ? [right - LEGEND.width, right] : null;
  const end = readers !== null ? readers[0] - FETCH - lacks * 0.08 : legend !== null ? legend[0] - MARGIN : right;
  return { clients, network: [left, left + network], brokers: [left + network, end], readers, legend };
}

/**
 * The places with lanes that are at least `tier` units high. `below`: units kept free under the brokers; `cell`: the
 * greatest height of a cell, in units.
 */
function laidOut(plan: StagePlan, rows: readonly Rows[], tier: number, form: Size["form"], width: number, height: number, below: number, cell: number): Places {
  const columns = columnsOf(plan, width);
  const [left, right] = columns.brokers;
  const spare = height - below - needed(rows, tier);
  const gaps = Math.max(1, rows.length - 1);
  const gap = GAP.least + clamp(spare / gaps, 0, GAP.most - GAP.least);
  let free = Math.max(0, spare - (gap - GAP.least) * (rows.length - 1));
  const lanes = rows.reduce((sum, row) => sum + row.lanes.length, 0);
  // Spare height goes first to lanes, then to the boxes of brokers.
  const growth = lanes === 0 ? 0 : clamp(free / lanes, 0, ABOVE + BELOW + cell + OVER - tier);
  free -= growth * lanes;
  const boxes = rows.filter((row) => !isLine(row)).length;
  const pad = boxes === 0 ? 0 : Math.min(40, free / boxes);
  const laneHeight = tier + growth;
  const brokers: Record<string, BrokerPlace> = {};
  let y = TOP;
  for (const row of rows) {
    const own = rowHeight(row, tier) + row.lanes.length * growth + (isLine(row) ? 0 : pad);
    brokers[row.name] = brokerPlace(plan, row, { x: left, y, width: right - left, height: own }, laneHeight, pad, cell);
    y += own + gap;
  }
  return framed(plan, form, columns, width, height, height, brokers, readerPlaces(plan, brokers, columns.readers), null);
}

/**
 * Name → place of the controller and the tool in the network's lower left corner, one above the other, as far as they
 * act in the run and are not in `taken`. `x`: left edge of the network; `y`: its lower edge.
 */
export function cornerPlaces(plan: StagePlan, x: number, y: number, taken: Readonly<Record<string, OtherPlace>> = {}): Record<string, OtherPlace> {
  const corners = CORNERS.filter((name) => (name === TOOL ? plan.tool === true : plan.controller));
  const missing = corners.filter((name) => !(name in taken));
  return Object.fromEntries(missing.map((name, index): [string, OtherPlace] => {
    const own: Box = rounded({ x: x + 8, y: y - 52 * (corners.length - missing.length + index + 1), width: 144, height: 42 });
    return [name, { box: own, port: [own.x + own.width, own.y + own.height / 2] }];
  }));
}

/**
 * The whole places, from those of brokers, consumers and lens: it adds clients, the network, corners and services, in
 * the same way for every layout. `seen`: units of the picture's height that are visible without scrolling.
 */
export function framed(
  plan: StagePlan, form: Size["form"], columns: Columns, width: number, height: number, seen: number,
  brokers: Places["brokers"], readers: Places["readers"], lens: LanePlace | null,
): Places {
  const [from, to] = columns.network;
  const [left, right] = columns.brokers;
  const others = to > from ? cornerPlaces(plan, from, seen) : {};
  const foot = seen - besideClients(plan);
  const own = legendPlace(plan, columns.clients, foot, readers);
  const column = columns.legend;
  const legend = column === null ? own : rounded({ x: column[0], y: TOP, width: column[1] - column[0], height: seen - TOP });
  return {
    kind: "cluster", form, width: round(width), height: round(height), hue: huesOf(plan),
    clients: clientPlaces(plan, MARGIN, columns.clients, foot - (own === undefined ? 0 : own.height + LEGEND_GAP)), brokers, readers,
    others: { ...others, ...besidePlaces(plan, { x: MARGIN, width: columns.clients }, { x: left, width: right - left }, seen - BOTTOM) },
    network: rounded({ x: from, y: 0, width: to - from, height }),
    fetches: columns.readers === null ? null : rounded({ x: columns.brokers[1], y: 0, width: columns.readers[0] - columns.brokers[1], height }),
    lens, upright: false, ...(legend === undefined ? {} : { legend }),
    away: { clients: [], brokers: [], lanes: emptyLanes(plan), readers: [] },
  };
}

const LEGEND_GAP = 10;

/**
 * The box of the legend in the column of clients, if the run has only one client with room to spare, and the consumers'
 * column has no room for the legend; else undefined.
 */
function legendPlace(plan: StagePlan, width: number, foot: number, readers: Places["readers"]): Box | undefined {
  const [client] = plan.clients;
  const rows = Object.values(readers).flatMap((lane) => Object.values(lane).map(({ box }) => box.y + box.height));
  const fits = foot - Math.max(...rows) >= LEGEND.head + LEGEND.most * SIGN.row;
  if (rows.length === 0 || fits || client === undefined || plan.clients.length > 1) return undefined;
  const own = Math.max(CARD.whole, BAR + 80 + 72 + client.partitions.length * QUEUE.fair);
  const spare = Math.min(foot - TOP - BOTTOM - own - LEGEND_GAP, LEGEND.head + LEGEND.most * SIGN.row);
  return spare < LEGEND.head + LEGEND.least * SIGN.row ? undefined : rounded({ x: MARGIN + 2, y: foot - BOTTOM - spare, width: width - 4, height: spare });
}

function brokerPlace(plan: StagePlan, row: Rows, box: Box, laneHeight: number, pad: number, cell: number): BrokerPlace {
  let y = box.y + HEAD + pad / 2;
  const lanes: Record<string, LanePlace> = {};
  for (const name of row.lanes) {
    lanes[name] = lanePlace(plan.lanes[name] ?? { first: 0, end: 8 }, { x: box.x, y, width: box.width, height: laneHeight }, false, labelWidth(plan), ARRIVAL, cell);
    y += laneHeight;
  }
  const height = RAIL + (row.groups ? GROUP_LINE : 0);
  const slot: Box = row.coordinates
    ? { x: box.x + 10, y: round(y), width: box.width - 20, height }
    : { x: box.x + 10, y: round(y), width: box.width - 20, height: GROUP_LINE };
  return {
    box: rounded(box), port: [box.x, round(box.y + 14)], lanes, folded: isLine(row),
    coordinator: row.coordinates || row.groups ? { box: slot, port: [box.x, round(y + Math.min(34, slot.height / 2))], markers: [box.x, round(y + Math.min(66, slot.height / 2))] } : null,
  };
}

export function rounded({ x, y, width, height }: Box): Box {
  return { x: round(x), y: round(y), width: round(width), height: round(height) };
}

/** Units for the names of lanes beside their cells: as many as the longest name needs, within limits. */
export function labelWidth(plan: StagePlan): number {
  const names = Object.entries(plan.lanes).filter(([, lane]) => !lane.internal).map(([name]) => textWidth(name, 15, true) + 32);
  return Math.round(clamp(Math.max(0, ...names), LABEL.least, LABEL.most));
}

/**
 * The place of a lane in its box. It has room for all offsets in `span` if they fit, else for the newest. `label`:
 * units for the name before the cells; `after`: units kept free after them.
 */
export function lanePlace(span: { first: number; end: number }, box: Box, strip: boolean, label: number = LABEL.least, after = 0, most: number = CELL.most): LanePlace {
  const x = box.x + label;
  const width = box.width - label - 26;
  const room = width - after;
  const count = Math.max(1, span.end - span.first);
  const fits = count * UNIT.least <= room;
  const unit = strip ? clamp(room / Math.max(count, 8), 4, 24) : fits ? clamp(Math.floor(room / count), UNIT.least, UNIT.most) : LONG.unit;
  const height = strip ? Math.max(6, box.height - 5) : clamp(box.height - ABOVE - BELOW, CELL.least, most);
  // Most of the spare height is above the cells, because an arriving batch is drawn there.
  const top = strip ? box.y + 2 : box.y + ABOVE + Math.max(0, box.height - ABOVE - BELOW - height) * 0.9;
  const middle = round(top + height / 2);
  return {
    box: rounded(box), strip,
    cells: { x: round(x), y: round(top), width: round(width), height: round(height), unit, most: fits || strip ? Number.MAX_SAFE_INTEGER : LONG.most, after, ...(strip ? {} : { near: UNIT.most }) },
    port: [round(box.x), middle], out: [round(box.x + box.width), middle],
  };
}

// Clients: heights in units.

const BAR = 26;
const CARD = { folded: 46, compact: 118, headed: 140, whole: 230 };
const QUEUE = { most: 74, fair: 48, least: 26 };

export function clientPlaces(plan: StagePlan, x: number, width: number, height: number): Record<string, ClientPlace> {
  const places: Record<string, ClientPlace> = {};
  const count = plan.clients.length;
  if (count === 0) return places;
  const gap = count > 4 ? 6 : 10;
  const own = (height - TOP - BOTTOM - gap * (count - 1)) / count;
  plan.clients.forEach((client, index) => {
    const box = rounded({ x, y: TOP + index * (own + gap), width, height: own });
    places[client.name] = clientPlace(client.partitions, box);
  });
  return places;
}

/** The place of a client: where its queues begin below its name, and the room under them. */
export function clientPlace(partitions: readonly string[], box: Box): ClientPlace {
  const { x, y, width, height } = box;
  const port: Point = [x + width, round(y + Math.min(64, height / 2))];
  if (height < CARD.compact) return { box, ports: { "": port }, queues: {}, folded: true };
  const top = y + BAR + 60 + (height < CARD.headed ? 5 : 20);
  const fitting = (foot: number): number => Math.max(1, Math.min(partitions.length, Math.floor((y + height - foot - top) / QUEUE.least)));
  // Partitions for which there is no row are counted below the rows.
  const low = height < CARD.whole;
  const foot = !low ? 72 : fitting(10) < partitions.length && height >= CARD.headed ? 26 : height < CARD.headed ? 1 : 10;
  const rows = fitting(foot);
  const room = y + height - foot - top;
  const tall = clamp(room / rows, QUEUE.least, QUEUE.most);
  const ports: Record<string, Point> = { "": port };
  const queues: ClientPlace["queues"] = {};
  // The label is as wide as the longest name needs, within limits.
  const label = clamp(Math.max(...partitions.slice(0, rows).map((name) => textWidth(name, 13, true)), 0) + 18, 44, 84);
  const waiting = Math.min(88, (width - label - 16) / 2);
  partitions.slice(0, rows).forEach((name, index) => {
    const at = top + index * tall;
    const high = Math.min(46, tall - 8 < 20 ? tall - 4 : tall - 8);
    const row = rounded({ x: x + 12, y: at, width: width - 20, height: high });
    queues[name] = {
      row,
      waiting: rounded({ x: x + label, y: at, width: waiting, height: high }),
      sent: rounded({ x: x + label + waiting + 8, y: at, width: width - label - waiting - 16, height: high }),
    };
    ports[name] = [x + width, round(at + high / 2)];
  });
  return { box, ports, queues, folded: false };
}

// Consumers

function readerPlaces(plan: StagePlan, brokers: Readonly<Record<string, BrokerPlace>>, column: [number, number] | null): Places["readers"] {
  const readers: Places["readers"] = {};
  if (column === null) return readers;
  const [x, right] = column;
  for (const [name, lane] of Object.entries(plan.lanes)) {
    // The rows are at the end of the lane in the box of the broker that leads the partition first. They stay there if
    // another broker takes over.
    const first = lane.leaders[0];
    const place = brokers[`broker-${first}`]?.lanes[name] ?? Object.values(brokers).find((broker) => name in broker.lanes)?.lanes[name];
    if (place === undefined) continue;
    const { y, height } = place.box;
    readers[name] = rowsIn(plan, name, { x, y, width: right - x, height });
  }
  return readers;
}

const ROW = { most: 41, least: 30 };
/**
 * The row of a possible consumer in a log case, in units. `height`: with a line of its own for its squares; `below`:
 * the row is below this y, which leaves room above it.
 */
export const POSSIBLE_ROW = { height: 58, below: 70 };
/** Factors by which a row may be enlarged, the largest first, if its lane is high and its names are short. */
const LARGER = [1.35, 1.2, 1.1] as const;

/** Units beside a consumer's name for the number of records that it has read. */
export const READ = 62;

/** A text as wide as the title of a possible consumer, which has no name. It is only measured. */
const UNNAMED = "any consumer";

/** Width of a consumer's name with its isolation level, in units. */
function titleWidth(name: string, isolation: string): number {
  return textWidth(name, 12, true) + 5 + textWidth(isolation, 11) * 0.86;
}

/** The rows of the consumers of a lane: one for each consumer if there is room, else one for each isolation level. */
export function rowsIn(plan: StagePlan, lane: string, box: Box): Record<string, ReaderPlace> {
  const named = plan.consumers.filter((consumer) => consumer.lanes.includes(lane));
  const rows: string[] = [];
  const room = Math.max(1, Math.floor((box.height + 3) / (ROW.least + 3)));
  const single = named.length <= room;
  for (const consumer of named) {
    const row = single ? consumer.name : groupName(consumer.isolation);
    if (!rows.includes(row)) rows.push(row);
  }
  const each = (box.height - 3 * (rows.length - 1)) / Math.max(1, rows.length);
  const isPossible = named.length === 1 && named[0]?.name === "";
  const most = isPossible ? POSSIBLE_ROW.height : ROW.most;
  const scale = single ? LARGER.find((one) => most * one <= each && named.every(({ name, isolation }) => titleWidth(name === "" ? UNNAMED : name, isolation) <= box.width / one - READ)) ?? 1 : 1;
  const height = Math.min(most * scale, each);
  const used = rows.length * height + 3 * (rows.length - 1);
  const middle = box.y + Math.max(0, (box.height - used) / 2);
  // No message arrives at a possible consumer, so its row is higher, to leave the room below it for the legend.
  const top = isPossible ? Math.min(middle, Math.max(box.y, POSSIBLE_ROW.below)) : middle;
  const places: Record<string, ReaderPlace> = {};
  rows.forEach((row, index) => {
    const own = rounded({ x: box.x, y: top + index * (height + 3), width: box.width, height });
    const place: ReaderPlace = { box: own, scale, port: [own.x, round(own.y + own.height / 2)] };
    if (single) places[row] = place;
    else for (const consumer of named) if (groupName(consumer.isolation) === row) places[consumer.name] = place;
  });
  return places;
}

function groupName(isolation: string): string {
  return `group ${isolation}`;
}

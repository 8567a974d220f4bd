/**
 * Computes the wire of a message, from the port where the message leaves to the port where it arrives, and points on
 * it. Pure.
 *
 * A wire is a cubic curve that leaves both boxes at a right angle. It can be shifted: its ends then slide along the
 * edges of their boxes, so that a message that is moved aside is still on its own wire.
 */

import { clamp, round } from "../diagrams/geometry.ts";
import type { MessageView } from "../player/frame.ts";
import type { Box, BrokerPlace, LanePlace, Places, Point, ReaderPlace } from "./contract.ts";
import { cornersOf } from "./contract.ts";

/** The direction from a port out of its box: right, left, down or up. */
type Facing = readonly [dx: -1 | 0 | 1, dy: -1 | 0 | 1];

interface Port {
  at: Point;
  facing: Facing;
  /** The range in which the port may slide along its edge: its least and greatest x or y. */
  slides: readonly [least: number, most: number];
}

export interface Wire {
  from: Port;
  to: Port;
  /**
   * A key that all wires between the same two components share: their messages are counted together if there are many.
   */
  bundle: string;
  /** Whether this is a wire between a lane and a consumer at its end, which is short and has room for one message. */
  short: boolean;
  upright: boolean;
  bulges: boolean;
  /** Units by which the curve swings out. */
  swing: number;
  /** Units by which its two ends are shifted along their edges. */
  shift: readonly [number, number];
}

/** Units between the wire of requests and that of responses. */
const APART = 20;
/** The least units from a port to the end of its edge. */
const INSET = 4;
/** The APIs of requests about a transactional id or a group, which its coordinator answers. */
const COORDINATED = new Set([
  "InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn", "TxnOffsetCommit", "OffsetCommit", "OffsetFetch", "LeaveGroup",
]);

const BROKER = /^broker-/;

/** The place of a component that is neither client, broker nor consumer; ZooKeeper has the controller's. */
function otherOf(name: string, here: Places): Places["others"][string] | undefined {
  return here.others[name] ?? (name === "zookeeper" ? here.others["controller"] : undefined);
}

/** The wire of a message; null if its sender or its receiver has no place in the picture. */
export function wireOf(message: MessageView, here: Places): Wire | null {
  const { from, to } = message;
  if (otherOf(from, here) !== undefined || otherOf(to, here) !== undefined) return between(message, here);
  if (here.upright && BROKER.test(from) && BROKER.test(to)) return overBoxes(message, here) ?? downToLane(message, here);
  // On a phone, consumers are right below the lane, so their fetches have no room and are counted.
  if (here.upright && (isReader(from, here) || isReader(to, here))) return null;
  const own = across(portOf(message, from, to, here), here.brokers[to], here);
  const other = across(portOf(message, to, from, here), here.brokers[from], here);
  if (own === null || other === null) return null;
  const bulges = own.facing[0] !== 0 && own.facing[0] === other.facing[0];
  const short = here.readers !== undefined && (isReader(from, here) || isReader(to, here));
  const spread = short || bulges ? 0 : message.is_response ? APART / 2 : -APART / 2;
  const wire: Wire = {
    from: own, to: other, bundle: `${from} ${to} ${message.is_response ? "answer" : "request"}`, short, bulges,
    upright: own.facing[1] !== 0, swing: swingOf(own.at, other.at, bulges), shift: [0, 0],
  };
  return spread === 0 ? wire : slid(wire, [spread, spread]);
}

/**
 * The wire on which a client's Produce requests travel to a broker. `partition`: one that the broker leads, for its
 * port; "" if it leads none. Null if the client or the broker has no place.
 */
export function connectionWire(client: string, broker: string, partition: string, here: Places): Wire | null {
  const end = (who: string, other: string): Port | null => portOf({ api: "Produce", from: client, to: broker, is_response: false, partitions: partition === "" ? [] : [partition] }, who, other, here);
  const own = across(end(client, broker), here.brokers[broker], here);
  const its = across(end(broker, client), here.brokers[client], here);
  return own === null || its === null ? null : {
    from: own, to: its, bundle: `${client} ${broker}`, short: false, bulges: false, upright: own.facing[1] !== 0, swing: swingOf(own.at, its.at, false), shift: [0, 0],
  };
}

/**
 * On a phone, the port of a client, moved to above the middle of the small box of the broker at the other end, as far
 * as the client's edge allows. Any other port stays as it is.
 */
function across(end: Port | null, broker: BrokerPlace | undefined, here: Places): Port | null {
  if (end === null || broker?.rows === undefined || !here.upright) return end;
  const middle = broker.box.x + broker.box.width / 2;
  return { ...end, at: [clamp(middle, end.slides[0], end.slides[1]), end.at[1]] };
}

/**
 * The wire between the small boxes of two brokers on a phone: up from one, through the network, and down to the other,
 * which may be the same. Null if the brokers have no small boxes.
 */
function overBoxes({ from, to, is_response: isAnswer }: MessageView, here: Places): Wire | null {
  const [one, other] = [here.brokers[from], here.brokers[to]];
  if (one?.rows === undefined || other?.rows === undefined) return null;
  const end = ({ box }: BrokerPlace, share: number): Port => ({
    at: [box.x + box.width * share, box.y], facing: [0, -1], slides: [box.x + INSET, box.x + box.width - INSET],
  });
  const isSelf = from === to;
  const shares = isSelf ? (isAnswer ? [0.85, 0.55] : [0.15, 0.45]) : [0.5, 0.5];
  return {
    from: end(one, shares[0] as number), to: end(other, shares[1] as number), bundle: `${from} ${to}`, short: false, bulges: false, upright: true,
    swing: Math.max(30, here.network.height * 0.75), shift: [0, 0],
  };
}

/**
 * The wire of a marker or its response on a phone, in a run with one broker: from the coordinator down to the lane, or
 * up again. Null if the lane or the coordinator is not in the picture.
 */
function downToLane(message: MessageView, here: Places): Wire | null {
  const broker = here.brokers[message.is_response ? message.from : message.to];
  const slot = here.brokers[message.is_response ? message.to : message.from]?.coordinator?.box;
  const [partition = ""] = message.partitions;
  if (slot === undefined || broker?.lanes[partition]?.strip !== false) return null;
  const x = broker.box.x + broker.box.width * (message.is_response ? 0.7 : 0.3);
  const slides = [broker.box.x + INSET, broker.box.x + broker.box.width - INSET] as const;
  const above: Port = { at: [x, slot.y + slot.height], facing: [0, 1], slides };
  const below: Port = { at: [x, broker.box.y], facing: [0, -1], slides };
  const [from, to] = message.is_response ? [below, above] : [above, below];
  return { from, to, bundle: `${message.from} ${message.to}`, short: false, bulges: false, upright: true, swing: 10, shift: [0, 0] };
}

const isReader = (name: string, here: Places): boolean => Object.values(here.readers).some((readers) => name in readers);

function swingOf(one: Point, other: Point, bulges: boolean): number {
  if (bulges) return clamp(20 + 0.75 * Math.abs(other[1] - one[1]), 80, 205);
  return Math.max(24, Math.hypot(other[0] - one[0], other[1] - one[1]) * 0.38);
}

function portOf(message: Pick<MessageView, "api" | "from" | "to" | "is_response" | "partitions">, who: string, other: string, here: Places): Port | null {
  const [partition = ""] = message.partitions;
  const client = here.clients[who];
  if (client !== undefined) {
    const named = message.api === "Produce" ? client.ports[partition] : undefined;
    return port(named ?? client.ports[""], client.box, here.upright ? (message.is_response ? 0.7 : 0.3) : null);
  }
  const reader = here.readers[partition]?.[who];
  if (reader !== undefined) return port(reader.port, reader.box, null);
  const broker = here.brokers[who];
  if (broker === undefined) return null;
  if (broker.rows !== undefined) return port([broker.box.x, broker.box.y], broker.box, 0.5);
  const lane = broker.lanes[partition];
  // A lane in the lens, and a coordinator, may be outside their broker's box.
  const boxes = [broker.box, ...(lane === undefined ? [] : [lane.box]), ...(broker.coordinator === null ? [] : [broker.coordinator.box])];
  const place = (at: Point): Port | null => port(at, boxes.reduce((best, one) => (edgeGap(at, one) < edgeGap(at, best) - 12 ? one : best)), here.upright && !isReader(other, here) ? (message.is_response ? 0.7 : 0.3) : null);
  // On a phone the coordinator has a box of its own, above that of the broker.
  const ofCoordinator = (at: Point): Port | null => (here.upright && broker.coordinator !== null
    ? port(at, broker.coordinator.box, message.is_response ? 0.7 : 0.3) : place(at));
  if (isReader(other, here)) return lane === undefined ? null : place(level(lane, here.readers[partition]?.[other], here.upright));
  if (message.api === "WriteTxnMarkers") {
    const isCoordinator = message.is_response ? who === message.to : who === message.from;
    // A coordinator sends markers to its own broker, too: one end of the wire is at its states, the other at the lane.
    if (isCoordinator && (message.from !== message.to || other === who)) return ofCoordinator(broker.coordinator?.markers ?? broker.port);
  }
  if (COORDINATED.has(message.api) && broker.coordinator !== null) return ofCoordinator(broker.coordinator.port);
  const isAboutLane = message.api === "Produce" || message.api === "WriteTxnMarkers" || message.api === "ReplicaFetch";
  return place(isAboutLane && lane !== undefined ? lane.port : broker.port);
}

/**
 * The point at the end of a lane for a consumer's wire: at the height of the consumer's port, if the lane is that high.
 */
function level({ out, box }: LanePlace, reader: ReaderPlace | undefined, upright: boolean): Point {
  const y = reader?.port[1] ?? out[1];
  return !upright && y >= box.y && y <= box.y + box.height ? [out[0], y] : out;
}

/** The distance of a point from the nearest edge of a box, in units. */
function edgeGap([x, y]: Point, box: Box): number {
  const dx = Math.max(box.x - x, 0, x - box.x - box.width);
  const dy = Math.max(box.y - y, 0, y - box.y - box.height);
  if (dx > 0 || dy > 0) return Math.hypot(dx, dy);
  return Math.min(x - box.x, box.x + box.width - x, y - box.y, box.y + box.height - y);
}

/** The port at a point of a box: its wire leaves through the edge that is nearest to the point. */
function port(at: Point | undefined, box: Box, upright: number | null): Port | null {
  if (at === undefined) return null;
  const outside: [number, Facing][] = [[at[0] - box.x - box.width, [1, 0]], [box.x - at[0], [-1, 0]], [at[1] - box.y - box.height, [0, 1]], [box.y - at[1], [0, -1]]];
  const beyond = outside.filter(([gap]) => gap > 0);
  const gaps = beyond.length > 0 ? beyond.map(([gap, facing]): [number, Facing] => [-gap, facing]) : outside.map(([gap, facing]): [number, Facing] => [Math.abs(gap), facing]);
  const [, nearest] = gaps.reduce((best, gap) => (gap[0] < best[0] ? gap : best));
  const facing: Facing = upright === null ? nearest : at[1] <= box.y + box.height / 2 ? [0, -1] : [0, 1];
  const slides = facing[0] !== 0 ? [box.y + INSET, box.y + box.height - INSET] as const : [box.x + INSET, box.x + box.width - INSET] as const;
  const x = upright !== null && facing[1] !== 0 ? box.x + box.width * upright : at[0];
  return { at: [x, at[1]], facing, slides };
}

/**
 * The wire between two boxes that have no ports: between the edges that face each other or, if none do, between their
 * right edges. Null if one of the components has no box.
 */
function between(message: MessageView, here: Places): Wire | null {
  const one = boxOf(message.from, here);
  const other = boxOf(message.to, here);
  if (one === null || other === null) return null;
  if (here.form === "phone") return downwards(message, one, other, here);
  const apart = message.is_response ? APART / 2 + 3 : -APART / 2 - 3;
  const stacked = one.x < other.x + other.width && other.x < one.x + one.width;
  const y = stacked ? null : clamp((Math.max(one.y, other.y) + Math.min(one.y + one.height, other.y + other.height)) / 2, 0, here.height);
  const end = (own: Box, its: Box): Port => {
    const facing: Facing = stacked || its.x > own.x ? [1, 0] : [-1, 0];
    const slides = [own.y + INSET, own.y + own.height - INSET] as const;
    const at = clamp((y ?? own.y + own.height / 2) + apart, slides[0], slides[1]);
    return { at: [facing[0] > 0 ? own.x + own.width : own.x, at], facing, slides };
  };
  // The wires of a component in the corner of the network begin and end at its upper edge.
  const corners = cornersOf(here);
  const over = (own: Box): Port => ({
    at: [own.x + own.width / 2 + apart, own.y], facing: [0, -1], slides: [own.x + INSET, own.x + own.width - INSET],
  });
  const from = corners.includes(one) ? over(one) : end(one, other);
  const to = corners.includes(other) ? over(other) : end(other, one);
  return {
    from, to, bundle: `${message.from} ${message.to}`, short: false, upright: false, bulges: stacked,
    swing: swingOf(from.at, to.at, stacked), shift: [0, 0],
  };
}

/** Limits, in units, of the swing of a wire below two boxes, so that it stays above the boxes of the next row. */
const SWINGS = { most: 76, reaches: 0.75, least: 30 };

function swingUnder(one: Box, other: Box, here: Places): number {
  const bottom = Math.max(one.y + one.height, other.y + other.height);
  const below = Object.values(here.others).map(({ box }) => box.y - bottom).filter((gap) => gap > 0);
  return clamp((Math.min(...below) - 4) / SWINGS.reaches, SWINGS.least, SWINGS.most);
}

/** The wire on a phone from one box down or up to another or, between two boxes side by side, in a bow below them. */
function downwards(message: MessageView, one: Box, other: Box, here: Places): Wire {
  // The network begins below the small boxes.
  const begins = here.kind === "cluster" ? here.network.y : 0;
  const below = other.y >= one.y + one.height;
  const above = one.y >= other.y + other.height;
  const left = Math.max(one.x, other.x);
  const right = Math.min(one.x + one.width, other.x + other.width);
  const x = (left + right) / 2 + (right - left > 120 ? (message.is_response ? 1 : -1) * 50 : 0);
  const end = (own: Box, facing: Facing): Port => {
    const slides = [own.x + INSET, own.x + own.width - INSET] as const;
    const at = below || above ? clamp(x, slides[0], slides[1]) : own.x + own.width / 2;
    return { at: [at, facing[1] > 0 ? Math.max(own.y + own.height, own.y < begins ? begins : 0) : own.y], facing, slides };
  };
  const from = end(one, above ? [0, -1] : [0, 1]);
  const to = end(other, below ? [0, -1] : [0, 1]);
  const far = Math.abs(from.at[1] - to.at[1]);
  return {
    from, to, bundle: `${message.from} ${message.to}`, short: false, upright: true, bulges: false, swing: below || above ? Math.max(16, far * 0.4) : swingUnder(one, other, here), shift: [0, 0],
  };
}

function boxOf(name: string, here: Places): Box | null {
  return otherOf(name, here)?.box ?? here.clients[name]?.box ?? here.brokers[name]?.box ?? null;
}

function slid(wire: Wire, by: readonly [number, number]): Wire {
  const move = ({ at, facing, slides }: Port, far: number): Port => {
    const along = facing[0] !== 0 ? 1 : 0;
    const [least, most] = slides;
    const place = clamp(at[along] + far, Math.min(least, at[along]), Math.max(most, at[along]));
    return { facing, slides, at: along === 1 ? [at[0], place] : [place, at[1]] };
  };
  return { ...wire, from: move(wire.from, by[0]), to: move(wire.to, by[1]) };
}

/**
 * The wire with its ends slid along their edges, so that its point at `u` (0 to 1) moves by `far` units, if possible.
 */
export function shifted(wire: Wire, u: number, far: number): Wire {
  if (far === 0) return wire;
  const share = u * u * (3 - 2 * u);
  const norm = share * share + (1 - share) * (1 - share);
  return slid(wire, [(far * (1 - share)) / norm, (far * share) / norm]);
}

/** The wire; if it bulges, it swings out so far that a message of this width does not touch the box. */
export function roomy(wire: Wire, width: number): Wire {
  return wire.bulges ? { ...wire, swing: Math.max(wire.swing, (width / 2 + 10) / 0.75) } : wire;
}

function controls({ from, to, swing }: Wire): readonly [Point, Point, Point, Point] {
  const out = ({ at, facing }: Port): Point => [at[0] + facing[0] * swing, at[1] + facing[1] * swing];
  return [from.at, out(from), out(to), to.at];
}

export function pointOn(wire: Wire, u: number): Point {
  const [a, b, c, d] = controls(wire);
  const v = 1 - u;
  const at = (axis: 0 | 1): number => v * v * v * a[axis] + 3 * v * v * u * b[axis] + 3 * v * u * u * c[axis] + u * u * u * d[axis];
  return [at(0), at(1)];
}

export function pathOf(wire: Wire): string {
  const [a, b, c, d] = controls(wire).map(([x, y]) => `${round(x)},${round(y)}`) as [string, string, string, string];
  return `M${a}C${b} ${c} ${d}`;
}

/** The direction in which messages on the wire point: 1 for right or, on an upright wire, down; -1 for left or up. */
export function heading(wire: Wire, u: number): 1 | -1 {
  // A wire that leaves one box and enters another through the same side turns back: its direction is that at its end.
  const [leaves, comes] = [wire.from.facing, wire.to.facing].map((facing) => facing[wire.upright ? 1 : 0]);
  if (leaves !== 0 && leaves === comes) return leaves === 1 ? -1 : 1;
  const [x1, y1] = pointOn(wire, Math.max(0, u - 0.02));
  const [x2, y2] = pointOn(wire, Math.min(1, u + 0.02));
  return (wire.upright ? y2 - y1 : x2 - x1) >= 0 ? 1 : -1;
}

/**
 * The place on a wire, 0 to 1, of a message of this size, so that it touches neither box. For `u` = 0 it is right at
 * the sender's box, for `u` = 1 right at the receiver's, for other values between.
 */
export function between01(wire: Wire, u: number, width: number, height: number): number {
  if (wire.short) return 0.5;
  const [least, most] = [clearOf(wire, width, height, true), clearOf(wire, width, height, false)];
  return least >= most ? 0.5 : least + (most - least) * u;
}

/** The first place on the wire, 0 to 1, from the start or from the end, at which the message does not touch the box. */
function clearOf(wire: Wire, width: number, height: number, isStart: boolean): number {
  const end = isStart ? wire.from : wire.to;
  const need = (end.facing[0] !== 0 ? width : height) / 2 + 3;
  const axis = end.facing[0] !== 0 ? 0 : 1;
  for (let step = 0; step <= 24; step += 1) {
    const u = isStart ? step / 48 : 1 - step / 48;
    if ((pointOn(wire, u)[axis] - end.at[axis]) * (end.facing[axis] ?? 0) >= need) return u;
  }
  return 0.5;
}

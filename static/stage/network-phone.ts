/** Places notes and counts of messages in a phone's network, which is a low band between components. Pure. */

import { clamp, overlap, overlapArea, round } from "../diagrams/geometry.ts";
import type { Box, Places } from "./contract.ts";
import { textWidth } from "./draw.ts";
import type { Bundle, Flight, Network } from "./network.ts";
import { COVERED, EDGE, bodiesOf, taken } from "./network.ts";

/**
 * The message with its note below or beside it, where it has room: on a phone, a component's box may begin right below
 * a message. Without room, the note is left out. `notes`: the boxes of the notes placed so far, to which this one is
 * added.
 */
export function notedAside(flight: Flight, { flights, bundles }: Omit<Network, "away">, here: Places, notes: Box[]): Flight {
  const { fate, box: own } = flight;
  if (fate.note === "") return flight;
  const width = textWidth(fate.note, 12, true) + 4;
  const others = [...flights.filter((other) => other !== flight).map((other) => other.box), ...bundles.map((bundle) => bundle.box), ...notes];
  const spots = { under: { x: own.x + (own.width - width) / 2, y: own.y + own.height + 3 }, right: { x: own.x + own.width + 6, y: own.y + own.height / 2 - 7 }, left: { x: own.x - 6 - width, y: own.y + own.height / 2 - 7 } } as const;
  const side = (["under", "right", "left"] as const).find((one) => {
    const at: Box = { ...spots[one], width, height: 14 };
    return at.x >= EDGE && at.x + width <= here.width - EDGE && ![...others, ...bodiesOf(here)].some((other) => overlap(other, at));
  });
  if (side !== undefined) notes.push({ ...spots[side], width, height: 14 });
  // A note without room is left out. The label of the message has it for screen readers.
  return { ...flight, fate: { ...fate, note: side === undefined ? "" : fate.note, side: side ?? fate.side } };
}

/**
 * The messages of a row, moved to the sides so far that the torn-off pieces of lost ones cover no other message. Null
 * if the row has no room for that.
 */
export function inRow(flights: readonly Flight[], here: Places): Flight[] | null {
  const order = [...flights].sort((one, other) => one.box.x - other.box.x);
  const moved = new Map<Flight, Flight>(order.map((one) => [one, one]));
  const at = (one: Flight): Box => taken(moved.get(one) as Flight);
  const move = (one: Flight, x: number): void => void moved.set(one, { ...one, box: { ...one.box, x: round(x + one.box.x - taken(one).x) } });
  const meets = (one: Box, other: Box): boolean => one.y < other.y + other.height && other.y < one.y + one.height;
  order.forEach((one, index) => {
    const left = Math.max(...order.slice(0, index).map(at).filter((other) => meets(other, at(one))).map(({ x, width }) => x + width), Number.NEGATIVE_INFINITY);
    if (left > at(one).x) move(one, left);
  });
  [...order].reverse().forEach((one, index, all) => {
    const right = Math.min(here.width - EDGE, ...all.slice(0, index).map(at).filter((other) => meets(other, at(one))).map(({ x }) => x));
    if (at(one).x + at(one).width > right) move(one, right - at(one).width);
  });
  return order.some((one) => at(one).x < 0) ? null : flights.map((one) => moved.get(one) as Flight);
}

/** The bundle with a box for its count that is as near to its wire as messages and other counts (`standing`) allow. */
export function inGap(bundle: Bundle, standing: readonly Box[], here: Places, isCrowded: boolean): Bundle {
  const { x, y, width, height } = bundle.box;
  const { network } = here;
  // A middleware's picture has a network above the middleware and one below it. In each, counts have two rows.
  const pair = [y - height / 2, y + height / 2];
  // A wire between two roles bends over the middleware's box. A count on it is moved above or below that box.
  const bodies = here.kind === "middleware" ? bodiesOf(here) : [];
  const clear = bodies.filter((body) => overlap(body, bundle.box)).flatMap((body) => [body.y - height - 2, body.y + body.height + 2]);
  const edges = [network.y + 1, network.y + network.height - height - 1];
  const [two, free] = here.kind === "middleware" ? [pair, [y, ...pair, ...clear]] : [edges, [y, ...edges]];
  // The network has room for two rows of counts. If there are many, a count between the rows would leave no room for
  // others.
  const rows = isCrowded ? two : free;
  const columns = [x, ...standing.flatMap((other) => [other.x + other.width + 2, other.x - width - 2])];
  const spots = rows.flatMap((row) => columns.map((column): Box => ({ x: clamp(column, EDGE, here.width - EDGE - width), y: row, width, height })));
  const costOf = (at: Box): number => [...standing, ...bodies].reduce((sum, other) => sum + overlapArea(at, other), 0) * COVERED + Math.abs(at.x - x) + Math.abs(at.y - y);
  const box = spots.reduce((best, at) => (costOf(at) < costOf(best) ? at : best));
  return { ...bundle, box: { ...box, x: round(box.x), y: round(box.y) } };
}

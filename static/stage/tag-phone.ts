/**
 * Lists places for a tag on a phone, which has little room between components, and boxes that it must not cover. Pure.
 */

import type { Box, Focus, Places } from "./contract.ts";
import { textWidth } from "./draw.ts";
import { EDGE } from "./label-place.ts";
import type { LabelPlace, Spot } from "./label-place.ts";
import { hasNameAbove } from "./lanes.ts";
import { clientsIn } from "./tag.ts";
import { HEIGHT } from "./tag-size.ts";

/**
 * The places for a tag of this width at a small box that it is about, at the given y: above a broker's, below a
 * client's. They are centred on the box, or level with one of its sides.
 */
export function besideChip({ x, width: whole }: Box, y: number, width: number): Spot[] {
  return [[x + (whole - width) / 2, y], [x, y], [x + whole - width, y]];
}

/**
 * Whether a tag about a broker would be above another broker's small box, and so be taken for that broker's. It is then
 * left out, because the sentence says the same.
 */
export function isOverAnother(here: Places, { kind, actor }: Focus, { x }: LabelPlace, width: number): boolean {
  const at = here.brokers[actor ?? ""]?.box;
  if (!here.upright || at === undefined || kind !== "actor") return false;
  const middle = x + width / 2;
  return middle < at.x || middle > at.x + at.width;
}

/**
 * The cost, in square units, of a place at y for the tag of a client, if it reaches below the network: it would be
 * taken for a broker's. 0 for other tags.
 */
export function farFromClient({ network }: Places, { kind }: Focus, y: number): number {
  return kind === "client" ? Math.max(0, y + HEIGHT - network.y - network.height) * 30 : 0;
}

/** The places for a tag right below the coordinator on a phone, from where markers fly down to the lane. */
export function underCoordinator(here: Places, { partition }: Focus, width: number): Spot[] {
  const box = Object.values(here.brokers).find(({ lanes, coordinator }) => coordinator !== null && (partition === null || partition in lanes))?.coordinator?.box
    ?? Object.values(here.brokers).find(({ coordinator }) => coordinator !== null)?.coordinator?.box;
  return box === undefined ? [] : [[box.x + 8, box.y + box.height + 9], [here.width - EDGE - width, box.y + box.height + 6]];
}

/** The small boxes of clients and brokers on a phone; empty on another stage. */
export function chipsIn(here: Places): Box[] {
  return here.upright ? [...Object.values(here.clients).filter(({ panel, folded }) => folded || panel !== undefined), ...Object.values(here.brokers).filter(({ rows }) => rows !== undefined)].map(({ box: own }) => own) : [];
}

/** The boxes of the names of brokers and of their lanes on a phone. */
export function headsIn(here: Places): Box[] {
  const lanes = Object.values(here.brokers).flatMap(({ box: small, panel: own = small, lanes: kept }) => Object.entries(kept).filter(([, { strip }]) => !strip).flatMap(([partition, { box: lane, cells }]): Box[] => [
    { x: own.x, y: own.y, width: Object.entries(kept).some(([one, place]) => hasNameAbove(here, one, place)) ? own.width : textWidth(partition, 15, true) + 70, height: 26 },
    { x: lane.x, y: cells.y, width: cells.x - lane.x, height: cells.height },
  ]));
  const names = Object.entries(here.brokers).flatMap(([name, { panel }]): Box[] => (panel === undefined ? [] : [{ x: panel.x, y: panel.y, width: textWidth(name, 14, true) + 26, height: 26 }]));
  return [...lanes, ...names, ...clientsIn(here)];
}

/**
 * Computes the places of a run with more lanes than fit at full size. Every lane is a strip of cells without numbers in
 * its broker's box, and two or three boxes are side by side. Above them are the lens, in which the lane of the step is
 * drawn at full size, and one place for the coordinator of the step; both are visible without scrolling. Pure.
 */

import { clamp, round } from "../diagrams/geometry.ts";
import { besideBrokers } from "./beside-places.ts";
import type { Box, BrokerPlace, LanePlace, Places, Size, StagePlan } from "./contract.ts";
import type { Rows } from "./places-desk.ts";
import { ARRIVAL, TOP, columnsOf, framed, isLine, labelWidth, lanePlace, rounded, rowsIn, rowsOf, widestScale } from "./places-desk.ts";

const LENS = 92;
const COORDINATOR = 84;
const HEAD = 26;
const LINE = 30;
const GAP = 6;
/**
 * The numbers of boxes in a row that are tried: the first with which everything is visible without scrolling is used.
 */
const ACROSS = [2, 3] as const;
const STRIP = { least: 13, most: 22 };
/** The most offsets for which the lens has room; of a longer log, it shows the newest. */
const LENS_OFFSETS = 16;

interface Shelved {
  shelves: Rows[][];
  across: number;
  /** The height of each strip, in units. */
  strip: number;
}

/** The brokers in rows of `across` boxes, each row as high as its strips need, in `room` units of height. */
function shelved(rows: readonly Rows[], across: number, room: number): Shelved {
  const shelves: Rows[][] = [];
  for (let index = 0; index < rows.length; index += across) shelves.push(rows.slice(index, index + across));
  const heads = shelves.reduce((sum, shelf) => sum + heightOf(shelf, 0) + GAP, 0);
  const lanes = shelves.reduce((sum, shelf) => sum + most(shelf), 0);
  return { shelves, across, strip: Math.floor((room - heads - 4) / Math.max(1, lanes)) };
}

const most = (shelf: readonly Rows[]): number => Math.max(...shelf.map((row) => row.lanes.length));
const heightOf = (shelf: readonly Rows[], strip: number): number => (shelf.every(isLine) ? LINE : HEAD + 6 + most(shelf) * strip);

export function stripPlaces(plan: StagePlan, size: Size): Places {
  const scale = widestScale(size);
  const [width, seen] = [size.width / scale, size.height / scale];
  const columns = columnsOf(plan, width);
  const [left, right] = columns.brokers;
  const rows = rowsOf(plan);
  const coordinates = rows.some((row) => row.coordinates || row.groups);
  const above = TOP + LENS + GAP + (coordinates ? COORDINATOR + GAP : 0);
  const fitting = ACROSS.map((across) => shelved(rows, across, seen - above - besideBrokers(plan)));
  const { shelves, across, strip } = fitting.find((one) => one.strip >= STRIP.least) ?? (fitting[fitting.length - 1] as Shelved);
  const high = clamp(strip, STRIP.least, STRIP.most);
  const longest = Math.min(LENS_OFFSETS, Math.max(1, ...Object.values(plan.lanes).filter((lane) => !lane.internal).map((lane) => lane.end - lane.first)));
  const lens = lanePlace({ first: 0, end: longest }, { x: left, y: TOP, width: right - left, height: LENS }, false, labelWidth(plan), ARRIVAL);
  const slot: Box = rounded({ x: left, y: TOP + LENS + GAP, width: right - left, height: COORDINATOR });
  const own = (right - left - GAP * (across - 1)) / across;
  const brokers: Record<string, BrokerPlace> = {};
  let y = above;
  for (const shelf of shelves) {
    const height = heightOf(shelf, high);
    shelf.forEach((row, index) => {
      const box = rounded({ x: left + index * (own + GAP), y, width: own, height });
      // Messages leave and arrive at the edges of the whole column, even if the box is in the middle of a row.
      const lanesOf = Object.fromEntries(row.lanes.map((name, at): [string, LanePlace] => {
        const place = lanePlace(plan.lanes[name] ?? { first: 0, end: 8 }, { x: box.x, y: box.y + HEAD + at * high, width: box.width, height: high }, true);
        return [name, { ...place, port: [left, place.port[1]], out: [right, place.out[1]] }];
      }));
      brokers[row.name] = {
        box, port: [left, round(box.y + 14)], lanes: lanesOf, folded: isLine(row),
        coordinator: row.coordinates || row.groups ? { box: slot, port: [left, slot.y + 34], markers: [left, slot.y + 66], shared: true } : null,
      };
    });
    y += height + GAP;
  }
  const column = columns.readers;
  const readers: Places["readers"] = {};
  if (column !== null) {
    const box: Box = { x: column[0], y: TOP, width: column[1] - column[0], height: LENS };
    for (const name of Object.keys(plan.lanes)) readers[name] = rowsIn(plan, name, box);
  }
  return framed(plan, size.form, columns, width, Math.max(seen, y + 4 + besideBrokers(plan)), Math.max(seen, besideBrokers(plan) > 0 ? y + 4 + besideBrokers(plan) : 0), brokers, readers, lens);
}

/**
 * Decides how tall each partition lane is drawn, and which lanes become a line or are only counted. Pure.
 *
 * A tier has the heights of a lane's parts in px. Lanes keep the header's order, and all get the roomiest tier in which
 * they fit. If they fit in none, the lane in focus stays large, the others become compact lanes or lines, and those
 * that do not even fit as lines are counted.
 */

import { batchesIn, foldedLog } from "../player/folded.ts";
import type { Frame } from "../player/frame.ts";
import { clamp } from "./geometry.ts";
import { isUnderWay } from "./lane-arrival.ts";
import type { Log } from "./lane-cells.ts";
import { arrivedNow } from "./lane-arrived.ts";
import { lostNow } from "./lane-lost.ts";
import { brokersOf, readersOf } from "./lane-readers.ts";
import type { LaneShape } from "./lane-shapes.ts";
import { isLogCase } from "./log-case.ts";
import { shownReplica } from "./shown-replica.ts";

/** The content of one partition's logs in two compared runs. */
export interface LogsBeside {
  /** The number of record offsets that the wider of the two logs needs, and the number of its markers. */
  records: number;
  markers: number;
  logs: readonly Log[];
  /** The consumers of the partition in either run. */
  readers: readonly string[];
}

export type Spread = Readonly<Record<string, LogsBeside>>;

export interface LanesOptions {
  width: number;
  /** The height of the picture in px; null: as tall as needed (on a page that scrolls). */
  height: number | null;
  /** The partition drawn largest if not all fit; null: the first. */
  focus: string | null;
  /** Partition → the number of batches that the reader has scrolled past. */
  scrolled: Readonly<Record<string, number>>;
  /** Partitions whose folds the reader opened. */
  opened?: ReadonlySet<string>;
  /** Whether the picture ends after its content even if there is more room. */
  cropped?: boolean;
  /**
   * Whether the picture is one of two compared runs. In a narrow picture, only the lane in focus is then drawn as a
   * lane, and low, because the other picture is below it.
   */
  beside?: boolean;
  /** The names of partitions (`t-0`) and of batches (`t-0 43`, by base offset) that differ in the compared run. */
  apart?: readonly string[];
  /** Partition → the content of its logs in both compared runs; missing if the picture is not compared. */
  spread?: Spread;
}

export interface Tier {
  name: LaneShape["tier"];
  title: number;
  arrival: number;
  arrivalCell: number;
  gates: number;
  cell: number;
  offsets: number;
  followers: number;
  reader: number;
  readersMost: number;
  gap: number;
}

const ROOMY: Tier = {
  name: "roomy", title: 26, arrival: 54, arrivalCell: 28, gates: 17, cell: 40, offsets: 20, followers: 16,
  reader: 30, readersMost: 2, gap: 12,
};
const DENSE: Tier = {
  name: "dense", title: 21, arrival: 42, arrivalCell: 24, gates: 16, cell: 30, offsets: 18, followers: 14,
  reader: 23, readersMost: 2, gap: 6,
};
/**
 * Beside the picture of a compared run, cells have two lines: the records, by which the runs differ, and the producer.
 */
const DENSE_BESIDE: Tier = { ...DENSE, arrival: 40, cell: 36, reader: 20 };
/** The tier of the lane in focus on a phone. It is lower than `ROOMY`, to leave the deciding rule visible below it. */
const TALL: Tier = { ...ROOMY, arrival: 50, reader: 26, gap: 4 };
/** The tier of the lane in focus if two pictures share a phone's height. */
const LOW: Tier = { ...DENSE, title: 20, gates: 15, cell: 36, reader: 16, gap: 4 };
const COMPACT: Tier = {
  name: "compact", title: 20, arrival: 0, arrivalCell: 0, gates: 14, cell: 24, offsets: 15, followers: 0,
  reader: 17, readersMost: 2, gap: 6,
};
const COMPACT_UNREAD: Tier = { ...COMPACT, reader: 0, readersMost: 0 };
const OWN_LOG = /^__transaction_state-/;
export const LINE_HEIGHT = 26;
export const NARROW = 480;

/** px from the left edge of a picture of this width at which its texts begin. */
export const edgeOf = (width: number): number => (width < NARROW ? 16 : 24);
const LINES_MOST = 40;
/** The most compact lanes below the lane in focus on a page that scrolls; further partitions are lines. */
const COMPACT_MOST = 4;

/** A tier between `dense` (`share` 0) and `ROOMY` (1), so that lanes fill the height. */
function between(share: number, dense: Tier): Tier {
  const mixed = (name: "title" | "arrival" | "arrivalCell" | "gates" | "cell" | "offsets" | "followers" | "reader" | "gap") =>
    Math.floor(dense[name] + (ROOMY[name] - dense[name]) * share);
  return {
    name: share >= 1 ? "roomy" : "dense", title: mixed("title"), arrival: mixed("arrival"), arrivalCell: mixed("arrivalCell"),
    gates: mixed("gates"), cell: mixed("cell"), offsets: mixed("offsets"), followers: mixed("followers"),
    reader: mixed("reader"), readersMost: DENSE.readersMost, gap: mixed("gap"),
  };
}

export interface Plan {
  /**
   * Partition → tier of its lane, in the order of the lanes. `lines`: partitions with one line; `rest`: only counted.
   */
  tiers: Map<string, Tier>;
  lines: string[];
  rest: string[];
}

export function laneHeight(frame: Frame, name: string, tier: Tier): number {
  const readers = Math.min(readersOf(frame, name).length, tier.readersMost);
  const brokers = brokersOf(frame).length;
  const rows = (brokers > 1 ? tier.followers : 0) + readers * tier.reader;
  return tier.title + arrivalRoom(frame, name, tier) + tier.gates + tier.cell + tier.offsets + rows + tier.gap;
}

function heightOf(frame: Frame, names: readonly string[], tier: Tier): number {
  return names.reduce((sum, name) => sum + laneHeight(frame, name, tier), 0);
}

/** The roomiest tier in which all lanes fit into this height; the dense one if even that is too tall. */
function filling(frame: Frame, names: readonly string[], height: number, dense: Tier): Tier {
  const least = heightOf(frame, names, dense);
  return between(clamp((height - least) / (heightOf(frame, names, ROOMY) - least), 0, 1), dense);
}

/**
 * px above the cells for arriving batches: 0 in a log case, whose batches lie in files, and in a log to which only its
 * own broker writes.
 */
export function arrivalRoom(frame: Frame, name: string, tier: Tier): number {
  return isLogCase(frame) || OWN_LOG.test(name) ? 0 : tier.arrival;
}

/**
 * Whether a log is idle: it is empty and not in focus, and no message about it is in transit or lost in this step. It is
 * drawn as a line.
 */
function isIdle(frame: Frame, name: string, focus: string | null): boolean {
  const partition = frame.view.partitions?.[name];
  const id = partition === undefined ? null : shownReplica(partition);
  if (name === focus || id === null) return false;
  if (Object.keys(partition?.replicas[id]?.batches ?? {}).length > 0) return false;
  return !isUnderWay(frame, name) && lostNow(frame, name) === null;
}

export function planLanes(frame: Frame, all: string[], options: LanesOptions): Plan {
  const idle = all.filter((name) => isIdle(frame, name, options.focus));
  const names = idle.length === all.length ? all : all.filter((name) => !idle.includes(name));
  // On a page that scrolls, the picture of a compared run has one height at every step: no lane and no line comes later.
  const isFixed = options.beside === true && options.height === null;
  const lines = isFixed || idle.length === all.length ? [] : idle;
  const whole = options.height ?? (options.width < NARROW ? 0 : Number.POSITIVE_INFINITY);
  const height = whole - Math.min(lines.length, 3) * LINE_HEIGHT;
  const dense = options.beside === true ? DENSE_BESIDE : DENSE;
  if (heightOf(frame, names, dense) <= height) {
    const tier = filling(frame, names, height, dense);
    return withLines({ tiers: new Map(names.map((name) => [name, tier])), lines: [], rest: [] }, lines, frame, whole);
  }
  return withLines(planFocus(frame, names, options, height, dense), lines, frame, whole);
}

/**
 * The plan with further partitions, the idle `lines`, as lines. Those that do not fit go to `rest`. `height`: px; 0:
 * any.
 */
function withLines(plan: Plan, lines: string[], frame: Frame, height: number): Plan {
  const used = [...plan.tiers].reduce((sum, [name, tier]) => sum + laneHeight(frame, name, tier), 0);
  const fitting = height === 0 ? LINES_MOST : Math.max(0, Math.floor((height - used) / LINE_HEIGHT));
  const waiting = [...plan.lines, ...lines, ...plan.rest];
  if (waiting.length <= fitting) return { ...plan, lines: waiting, rest: [] };
  const most = Math.min(Math.max(0, fitting - 1), LINES_MOST);
  return { ...plan, lines: waiting.slice(0, most), rest: waiting.slice(most) };
}

/** The plan if not all lanes fit: the lane in focus stays large, the others become compact lanes or else lines. */
function planFocus(frame: Frame, names: string[], options: LanesOptions, height: number, dense: Tier): Plan {
  const focus = options.focus !== null && names.includes(options.focus) ? options.focus : names[0];
  const others = names.filter((name) => name !== focus);
  const tiers = new Map<string, Tier>();
  if (focus === undefined) return { tiers, lines: [], rest: [] };
  for (const small of [COMPACT, COMPACT_UNREAD]) {
    const left = height - heightOf(frame, others, small);
    if (laneHeight(frame, focus, dense) > left) continue;
    const tier = filling(frame, [focus], left, dense);
    for (const name of names) tiers.set(name, name === focus ? tier : small);
    return { tiers, lines: [], rest: [] };
  }
  if (options.height === null) return planScrolling(frame, focus, others, options.beside === true);
  tiers.set(focus, filling(frame, [focus], height - 2 * LINE_HEIGHT, dense));
  return { tiers, lines: others, rest: [] };
}

/**
 * The plan for a page that scrolls: the lane in focus, then compact lanes, then lines. At a step that decides, there are
 * no compact lanes, so that what follows the picture stays visible. Beside a compared run, there is only the lane in
 * focus, with room for what arrives.
 */
function planScrolling(frame: Frame, focus: string, others: readonly string[], isBeside: boolean): Plan {
  if (isBeside) return { tiers: new Map([[focus, LOW]]), lines: [], rest: [] };
  const tiers = new Map([[focus, hasComing(frame, focus) ? TALL : { ...TALL, arrival: 0 }]]);
  const decides = frame.step?.decision != null || frame.step?.refusal != null;
  const drawn = decides ? [] : others.slice(0, COMPACT_MOST);
  for (const name of drawn) tiers.set(name, COMPACT);
  return { tiers, lines: others.filter((name) => !tiers.has(name)), rest: [] };
}

/** Whether the room above the cells has content: a message that arrived or was lost in this step, or is in transit. */
function hasComing(frame: Frame, name: string): boolean {
  const partition = frame.view.partitions?.[name];
  const id = partition === undefined ? null : shownReplica(partition);
  const replica = id === null ? undefined : partition?.replicas[id];
  if (id === null || replica === undefined) return false;
  return arrivedNow(frame, name, id) !== null || lostNow(frame, name) !== null || isUnderWay(frame, name);
}

/** The most cells that a lane shows. */
const MOST_CELLS = 20;

/** The number of batches of a lane's log that the view lists, and the number of those that it leaves out. */
export function countBatches({ view }: Frame, name: string): { listed: number; unlisted: number } {
  const partition = view.partitions?.[name];
  const id = partition === undefined ? null : shownReplica(partition);
  const listed = id === null ? 0 : Object.keys(partition?.replicas[id]?.batches ?? {}).length;
  return { listed, unlisted: batchesIn(foldedLog(view, name, id)) };
}

/** Whether a lane that is scrolled past this number of batches would show batches that the view leaves out. */
export function reachesUnlisted(frame: Frame, partition: string, scrolled: number): boolean {
  const { listed, unlisted } = countBatches(frame, partition);
  return unlisted > 0 && scrolled + MOST_CELLS > listed;
}

/**
 * The types by which the parts of the stage exchange data: places, focus, objects, layers.
 *
 *     const run = places(plan, header, firstView, size);        // places.ts: once for a run and a size
 *     const focus = focusOf(frame);                             // focus.ts: what this step is about
 *     const here = standing(run, frame, focus);                 // places.ts: the same places; on a phone only those in the focus
 *     const objects = LAYERS.flatMap((layer) => layer(frame, here, focus));   // layers.ts
 *
 * All lengths are units of the picture: the element scales `places.width` × `places.height` to its own box, so the same
 * numbers serve a laptop, a phone and a projector. A component has the same place at every step, unless there are fewer
 * places than components (places.ts).
 */

import type { SVGTemplateResult } from "lit";
import type { Box } from "../diagrams/geometry.ts";
import type { Frame, JsonObject, Selection } from "../player/frame.ts";

export type { Box } from "../diagrams/geometry.ts";

/** The parts of the engine's plan of a run (`Plan` in static/generated/messages.ts) that decide places. */
export interface StagePlan {
  /** Producer id → its place in the order of first appearance, from 0. */
  hues: Record<string, number>;
  clients: { name: string; applications: string[]; transactional_id: string | null; partitions: string[] }[];
  /**
   * For each broker: every data partition that it leads at some step (`lanes`), and every transactional id and group
   * that it coordinates at some step.
   */
  brokers: { name: string; lanes: string[]; transactional_ids: string[]; groups: string[] }[];
  lanes: Record<string, { first: number; end: number; internal: boolean; leaders: number[]; refuses?: boolean }>;
  consumers: { name: string; isolation: string; lanes: string[] }[];
  /** Whether the controller or ZooKeeper acts in this run. */
  controller: boolean;
  /** Whether an operator runs `kafka-transactions.sh` in this run. */
  tool?: boolean;
  middleware: { roles: string[]; participants: string[] } | null;
  /** Services with a database; absent in runs without them. */
  services?: { name: string; acts: string[]; producer: string | null; consumer: string | null }[];
  /** If the run has interventions: the plan of the run without them, from which components keep their places. */
  stands?: Omit<StagePlan, "stands">;
}

/** The tool's name as an actor of steps. */
export const TOOL = "kafka-transactions";
/** The actors with a place in the corner of the network: the controller, and above it the tool. */
export const CORNERS = ["controller", TOOL] as const;

export type Form = "desk" | "phone" | "projector";

/** The size of the box that the stage fills, in CSS pixels, and its form. */
export interface Size {
  width: number;
  height: number;
  form: Form;
}

export type Point = readonly [x: number, y: number];

export interface OtherPlace {
  box: Box;
  port: Point;
}

export interface ClientPlace {
  box: Box;
  /** On a phone with several clients, `box` is small; the client that the step is about is also drawn here, large. */
  panel?: Box;
  /**
   * Partition → the point where the client's requests leave and responses arrive; "" for requests about no partition.
   */
  ports: Record<string, Point>;
  /**
   * Partition → the row of its queue, in order from top to bottom. `waiting` (left): the part for waiting batches;
   * `sent` (right): the part for batches that are sent and have no response yet.
   */
  queues: Record<string, { row: Box; waiting: Box; sent: Box }>;
  /** Whether only the client's name, producer id and state are drawn. */
  folded: boolean;
}

export interface LanePlace {
  box: Box;
  /** The cells: `x`: of the first drawn offset; `unit`: width of one offset; `y`, `height`: of each cell. */
  cells: { x: number; y: number; width: number; height: number; unit: number; /** The width of the widest batch, as a number of offsets. */ most: number; /** Width kept free at the end of the lane, where a batch that is refused is drawn. */ after: number; /** The greatest width of an offset while the log is short. */ near?: number };
  /** `port`: where requests and markers arrive and responses leave (left). `out`: where consumers fetch (right). */
  port: Point;
  out: Point;
  /** Whether the lane is a thin strip, with cells without numbers. */
  strip: boolean;
  /** If the lane is drawn in the box of another broker: the name of the broker that leads it now. */
  heir?: string;
}

export interface BrokerPlace {
  box: Box;
  /**
   * On a phone with several brokers, `box` is small and has `rows` for strips of the partitions that the broker leads;
   * the broker that the step is about is also drawn in `panel`, large.
   */
  panel?: Box;
  rows?: readonly Box[];
  /** The point where requests arrive that are about none of its lanes. */
  port: Point;
  /** Partition → its lane, for all partitions that the broker leads at some step of the run, in order. */
  lanes: Record<string, LanePlace>;
  /**
   * The place of the broker as a coordinator. `port`: the point where requests to it arrive; `markers`: the point where
   * markers leave. Null for a broker that never coordinates.
   */
  coordinator: { box: Box; port: Point; markers: Point; /** Whether all coordinators share this place, which then shows the coordinator that the step is about. */ shared?: boolean; /** Whether this broker coordinates nothing according to the plan, but may take over. */ spare?: boolean; /** The box of the coordinator's own broker, if it is drawn in the place of a broker that is down. */ of?: Box } | null;
  /** Partition → the strip of a lane that is drawn elsewhere at full size at this step. */
  echo?: Record<string, LanePlace>;
  /** Whether the broker is drawn as one line, because it leads no partition that gets records. */
  folded: boolean;
}

/** The box in which a broker or client is drawn in full: its `panel` if it has one, else its `box`. */
export const wholeOf = ({ box, panel }: { box: Box; panel?: Box }): Box => panel ?? box;

export interface ReaderPlace {
  box: Box;
  /** The size of letters, as a multiple of the smallest size. */
  scale: number;
  port: Point;
}

export interface Places {
  kind: "cluster" | "middleware" | "log";
  form: Form;
  /** The size of the picture, in units. */
  width: number;
  height: number;
  /** Producer id → class of its colour: `b0` … `b5`, `plain` for none. */
  hue: (producerId: number | string | null | undefined) => string;
  /** Name → place: `p1`, `broker-1`; empty if the run has none of a kind. */
  clients: Record<string, ClientPlace>;
  brokers: Record<string, BrokerPlace>;
  /**
   * Partition → consumer → the place of its row at the end of the lane. If there is too little room, several consumers
   * share one row.
   */
  readers: Record<string, Record<string, ReaderPlace>>;
  /** Name → place of every other component: controller, nodes of a middleware, services and their database. */
  others: Record<string, OtherPlace>;
  /**
   * `network`: between clients and brokers. `fetches`: between brokers and consumers; null in a run without consumers.
   */
  network: Box;
  fetches: Box | null;
  /**
   * In a picture whose lanes are strips: the place in which the lane that the step is about is drawn at full size.
   * `standing` makes it the place of that lane, so that wires and ghosts find the lane there. Null in other pictures.
   */
  lens: LanePlace | null;
  /** Whether the picture is upright (on a phone): wires run down and up, between rows of components. */
  upright: boolean;
  /**
   * On an upright stage: the rows for strips of partitions other than the one that is drawn at full size, of which
   * those that the step names come first.
   */
  rows?: readonly Box[];
  /** The box of the legend, if it is not below the consumers. */
  legend?: Box;
  /** The nodes of a middleware, if they stand beside brokers (wing.ts). */
  wing?: Wing;
  /** The components that have no place at this step; a line below the picture names them. */
  away: Away;
}

export interface Wing {
  here: Places;
  /** The upper left corner of the wing in the whole picture, and the width of the whole picture. */
  x: number;
  y: number;
  width: number;
}

export interface Away {
  clients: string[];
  brokers: string[];
  lanes: string[];
  readers: string[];
  /** Messages between components without a place are not listed: network.ts counts them. */
}

export type FocusKind =
  | "none" | "sent" | "lost" | "append" | "duplicate" | "refused" | "gate" | "leader" | "coordinator" | "read" | "copy"
  | "client" | "actor" | "node";

/**
 * The subject of a step, found in what the engine reports of it (focus.ts). It is the only yellow thing in the picture.
 */
export interface Focus {
  kind: FocusKind;
  /** The component where the step happens: `p1`, `broker-1`, `c1`, `controller`, or a node of the middleware. */
  actor: string | null;
  partition: string | null;
  /** Base offset in `partition` of the batch that is stored, recognised as a duplicate, or compared with. */
  offset: number | null;
  /** The gates of `partition` that moved in the step; the first one is yellow. */
  gates: ("last_stable_offset" | "high_watermark" | "log_start")[];
  /**
   * For a step about a coordinator: the transactional id that is shown, and (`state`) which of its states is yellow.
   */
  transactional_id: string | null;
  state: string | null;
  /** The text of the tag: a key of the catalogue, with its parameters. */
  tag: { key: string; params: JsonObject } | null;
  /** The text below the tag: what a client cannot know from now on. */
  doubt: { key: string; params: JsonObject } | null;
  /** Whether the tag is red: something was refused, lost or broken. */
  bad: boolean;
  /** The compared values, each as [name, value], which follow the tag's text. */
  compared: readonly [unknown, unknown][];
  /** The ids of the messages that this step sent, delivered, dropped, lost, delayed or duplicated. */
  messages: { sent: number[]; delivered: number[]; dropped: number[]; lost: number[]; delayed: number[]; duplicated: number[] };
}

export const NO_FOCUS: Focus = {
  kind: "none", actor: null, partition: null, offset: null, gates: [], transactional_id: null, state: null, tag: null, doubt: null,
  bad: false, compared: [], messages: { sent: [], delivered: [], dropped: [], lost: [], delayed: [], duplicated: [] },
};

/**
 * When an object moves in the animation of a step: the `cause` travels first, then the `effect` lands, and last a
 * `gate` slides; the `tag` appears while the effect lands.
 */
export type Phase = "static" | "cause" | "compare" | "effect" | "gate" | "tag";

/** One thing in the picture. Its key stays the same as long as the thing does. */
export interface StageObject {
  key: string;
  /**
   * The origin of the object's drawing, in units. `width`, `height`: its size, for rings of selection and the camera.
   */
  x: number;
  y: number;
  width: number;
  height: number;
  phase: Phase;
  /**
   * Objects with a greater depth are drawn over others: wires 0, boxes of components 1, cells 2, gates 3, messages 4,
   * ghosts and rings 5, the tag 6, the numbers of an answer 7.
   */
  depth: number;
  draw: SVGTemplateResult;
  /** The point from which the object comes when it is new. */
  from?: Point;
  /** Whether the object belongs to the cause or effect of this step, so that a projector's camera shows it. */
  hot?: boolean;
  /** If set, the object is a button that selects this. */
  select?: Selection;
  /**
   * Other things that the object shows. If a sentence of an answer is about one of them, the object gets its number.
   */
  holds?: readonly Selection[];
  /** If set, the object is a button that asks the engine why (docs/websocket.md). */
  ask?: { question: string; subject: string };
  /** If set, the object is a button that shows what this term means (static/player/terms.ts). */
  term?: string;
  /**
   * If set, the object is a button of an upright stage: a press selects this thing and gives it a place in the picture.
   */
  brings?: Selection;
  /** If set, the object is a number of the answer to *why*: a press shows its sentence. */
  link?: number;
  picked?: boolean;
  /** x of the dot that says that actions are available; absent if none are. */
  grip?: number;
  /** Whether the object belongs to the picture before and fades out. */
  gone?: boolean;
  /** The object's text for screen readers; "" if the diagram's text says it. */
  label: string;
}

/** Makes the objects of one kind for a frame; layers.ts lists all layers. */
export type Layer = (frame: Frame, here: Places, focus: Focus) => StageObject[];

/**
 * Animates the objects that moved (motion.ts). `nodes` returns the drawn group of a key; `before`, `after`: all objects
 * of the picture before and of the present one.
 */
export interface Mover {
  play(nodes: (key: string) => SVGGElement | null, before: readonly StageObject[], after: readonly StageObject[]): void;
  /** Ends the motion at once, because another step is shown, the reader jumps, or prefers less motion. */
  stop(): void;
}

export interface Window {
  /** The first offset that the lane draws. */
  first: number;
  /** x of the left edge of an offset, also of one after the end of the log. */
  x: (offset: number) => number;
  /** The width of an offset in units. */
  unit: number;
}

/** The batches of a log by base offset, as in the engine's view of a replica. */
type Batches = Readonly<Record<string, { base_offset: number; last_offset: number }>>;

/** The least width of an offset, in units, in a lane that shows all of its offsets. */
export const OFFSET_LEAST = 20;
/**
 * The least width of an offset, in units, in a lane that was planned for a shorter run: narrow offsets are better than
 * leaving out the first records.
 */
const GROWN_LEAST = 15;

/**
 * The width of an offset, in units, in a lane whose log has `count` offsets: usually the planned one. In a short log it
 * is greater; in a log that is longer than planned it is as narrow as all offsets need, as far as they can fit.
 */
function unitOf({ strip, cells: { width, unit, most, after, near = 0 } }: LanePlace, count: number): number {
  const room = width - after;
  // The offsets of a short log are four times or twice as wide, as long as the next batch still fits.
  const times = [4, 2].find((one) => unit * one <= near && (count + 2) * unit * one <= room);
  if (times !== undefined) return unit * times;
  return strip || most < Number.MAX_SAFE_INTEGER || count * unit <= room || count * GROWN_LEAST > room ? unit : Math.floor((10 * room) / count) / 10;
}

/**
 * The offsets that a lane shows, and where: all offsets of the log while they fit, else the newest. Cells, gates and
 * ghosts are all placed by it. If the plan says that the log gets long, a batch is at most as wide as `cells.most`
 * offsets.
 */
export function windowOf(lane: LanePlace, logStart: number, logEnd: number, batches: Batches = {}): Window {
  const { x: left, width, most, after } = lane.cells;
  const unit = unitOf(lane, logEnd - logStart);
  const listed = Object.values(batches).filter((batch) => batch.last_offset >= logStart).sort((one, other) => one.base_offset - other.base_offset);
  const stops: [offset: number, last: number, width: number][] = [];
  let room = width - after;
  let next = logEnd;
  for (let index = listed.length - 1; index >= 0; index -= 1) {
    const batch = listed[index] as Batches[string];
    const gap = Math.min(Math.max(0, next - batch.last_offset - 1), most) * unit;
    const own = Math.min(batch.last_offset - batch.base_offset + 1, most) * unit;
    if (gap + own > room && stops.length > 0) break;
    if (gap > 0) stops.unshift([batch.last_offset + 1, next - 1, gap]);
    stops.unshift([batch.base_offset, batch.last_offset, own]);
    room -= gap + own;
    next = batch.base_offset;
  }
  const lead = Math.min(Math.max(0, next - logStart), most) * unit;
  if (lead > 0 && lead <= room && listed[0]?.base_offset === next) {
    stops.unshift([logStart, next - 1, lead]);
    next = logStart;
  }
  const first = stops.length === 0 ? logEnd : next;
  const x = (offset: number): number => {
    let at = left;
    for (const [from, last, wide] of stops) {
      if (offset < from) return at;
      if (offset <= last) return at + (wide * (offset - from)) / (last - from + 1);
      at += wide;
    }
    return at + Math.min(Math.max(0, offset - logEnd), most) * unit;
  };
  return { first, x, unit };
}

/** Whether a run has both brokers and a middleware. */
export function hasBoth({ brokers, middleware }: Pick<StagePlan, "brokers" | "middleware">): boolean {
  return brokers.length > 0 && (middleware?.participants ?? []).length > 0;
}

/** The boxes of the controller and the tool in the corner of the network; none in a run with a middleware. */
export function cornersOf(here: Places): Box[] {
  return here.kind === "cluster" ? CORNERS.flatMap((name) => here.others[name]?.box ?? []) : [];
}

/**
 * The interface between the parts of the stage: places, bodies, network, tag, motion.
 *
 *     const run = places(plan, header, firstView, size);        // places.ts: once for a run and a size
 *     const focus = focusOf(frame);                             // focus.ts: what this step is about
 *     const here = standing(run, frame, focus);                 // places.ts: the same places; on a phone only those in the focus
 *     const objects = LAYERS.flatMap((layer) => layer(frame, here, focus));   // layers.ts
 *
 * All lengths are units of the picture: the element scales `places.width` × `places.height` to its own box, so the same
 * numbers serve a laptop, a phone and a projector. No place depends on a step.
 */

import type { SVGTemplateResult } from "lit";
import type { Box } from "../diagrams/geometry.ts";
import type { Frame, JsonObject, Selection } from "../player/frame.ts";

export type { Box } from "../diagrams/geometry.ts";

/** What the stage needs of the engine's plan of a run (static/player/plan.ts has it whole). */
export interface StagePlan {
  /** Producer id → order of first appearance. */
  hues: Record<string, number>;
  clients: { name: string; applications: string[]; transactional_id: string | null; partitions: string[] }[];
  /** Every data partition it ever leads; every transactional id and group it ever coordinates. */
  brokers: { name: string; lanes: string[]; transactional_ids: string[]; groups: string[] }[];
  lanes: Record<string, { first: number; end: number; internal: boolean; leaders: number[]; refuses?: boolean }>;
  consumers: { name: string; isolation: string; lanes: string[] }[];
  /** The controller or ZooKeeper acts in this run. */
  controller: boolean;
  /** An operator runs `kafka-transactions.sh` in this run. */
  tool?: boolean;
  middleware: { roles: string[]; participants: string[] } | null;
  /** Services with a database; absent in runs without. */
  services?: { name: string; acts: string[]; producer: string | null; consumer: string | null }[];
  /** If the run has interventions: the places of the run without them. */
  stands?: Omit<StagePlan, "stands">;
}

/** The name of the tool as an actor. */
export const TOOL = "kafka-transactions";
/** The actors with a place in the corner of the network: the controller, and above it the tool. */
export const CORNERS = ["controller", TOOL] as const;

export type Form = "desk" | "phone" | "projector";

/** The size of the box that the stage fills, in pixels of the page. */
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
  /** On a phone, every client has a small `box`; the client of the focus is unfolded here. */
  panel?: Box;
  /** Where its requests leave and responses arrive, by partition; "" for requests about no partition. */
  ports: Record<string, Point>;
  /** Queues in order, one row each: waiting left, sent without an answer right. */
  queues: Record<string, { row: Box; waiting: Box; sent: Box }>;
  /** Only its name, producer id and state are drawn. */
  folded: boolean;
}

export interface LanePlace {
  box: Box;
  /** The cells: `x` of the first offset drawn, width of one offset, y and height of a cell. */
  cells: { x: number; y: number; width: number; height: number; unit: number; /** The most offsets that a batch is as wide as. */ most: number; /** Width at the end of the lane, without offsets, for a batch that arrives and is refused. */ after: number; /** The greatest width of an offset while the log is short. */ near?: number };
  /** Where requests and markers arrive and responses leave (left), and where consumers fetch (right). */
  port: Point;
  out: Point;
  /** Drawn as a thin strip: cells without numbers. */
  strip: boolean;
  /** The name of the current leader, if the lane is drawn in the place of a broker that is down. */
  heir?: string;
}

export interface BrokerPlace {
  box: Box;
  /**
   * On a phone with several brokers `box` is small, with rows for strips of what it leads; the broker of the focus is
   * unfolded here.
   */
  panel?: Box;
  rows?: readonly Box[];
  /** Requests that are about none of its lanes. */
  port: Point;
  /** By partition: all partitions that it ever leads in this run, in order. */
  lanes: Record<string, LanePlace>;
  /** Coordinator: its rail of states, its log line, its list of markers. Null where it never coordinates. */
  coordinator: { box: Box; port: Point; markers: Point; /** All coordinators share this place, which shows the one of the step. */ shared?: boolean; /** According to the plan this broker coordinates nothing, but it may take over. */ spare?: boolean; /** If it is drawn in the place of a broker that is down: the box of its own broker. */ of?: Box } | null;
  /** The strip of the lane that is drawn at full size now. */
  echo?: Record<string, LanePlace>;
  /** Drawn as one line, because it leads no used partition. */
  folded: boolean;
}

/** Where a broker, or a client, is drawn whole. */
export const wholeOf = ({ box, panel }: { box: Box; panel?: Box }): Box => panel ?? box;

export interface ReaderPlace {
  box: Box;
  /** The type's size, as a multiple of the smallest. */
  scale: number;
  port: Point;
}

export interface Places {
  kind: "cluster" | "middleware" | "log";
  form: Form;
  /** The size of the picture, in units. */
  width: number;
  height: number;
  /** Hue class of a producer id: `b0` … `b5`, `plain` for none. */
  hue: (producerId: number | string | null | undefined) => string;
  /** By name: `p1`, `broker-1`; null where the run has none of a kind. */
  clients: Record<string, ClientPlace>;
  brokers: Record<string, BrokerPlace>;
  /** Readers at the ends of the lanes: partition → consumer → place; consumers that stand together share one. */
  readers: Record<string, Record<string, ReaderPlace>>;
  /** Everything else that acts: controller, nodes of a middleware, services and their database. */
  others: Record<string, OtherPlace>;
  /** Between clients and brokers, and between brokers and readers (null: a run without readers). */
  network: Box;
  fetches: Box | null;
  /**
   * Where lanes are strips: one place for the lane that the step is about, at full size. `standing` gives it to
   * that lane, so wires and ghosts find it there.
   */
  lens: LanePlace | null;
  /** Messages stand upright on wires that run down and up (phone). */
  upright: boolean;
  /** On an upright stage: rows for strips of other partitions; those that the step names come first. */
  rows?: readonly Box[];
  /** Where the legend stands, if that is not under the readers. */
  legend?: Box;
  /** The nodes of a middleware beside the brokers (wing.ts). */
  wing?: Wing;
  /** The components without a place at this step; a line below the picture names them. */
  away: Away;
}

export interface Wing {
  here: Places;
  /** Where it begins in the whole picture, and how wide that is. */
  x: number;
  y: number;
  width: number;
}

export interface Away {
  clients: string[];
  brokers: string[];
  lanes: string[];
  readers: string[];
  /** Messages between components without a place; network.ts counts them. */
}

export type FocusKind =
  | "none" | "sent" | "lost" | "append" | "duplicate" | "refused" | "gate" | "leader" | "coordinator" | "read" | "copy"
  | "client" | "actor" | "node";

/** The subject of a step, from facts of the engine (focus.ts). At most one thing is yellow. */
export interface Focus {
  kind: FocusKind;
  /** Where it happens: `p1`, `broker-1`, `c1`, `controller`, a node of the middleware. */
  actor: string | null;
  partition: string | null;
  /** Base offset in `partition` of the batch that is stored, found as a duplicate or compared with. */
  offset: number | null;
  /** Gates of `partition` that moved; the first one is yellow. */
  gates: ("last_stable_offset" | "high_watermark" | "log_start")[];
  /** At the coordinator: which transactional id is shown, and which of its states is yellow. */
  transactional_id: string | null;
  state: string | null;
  /** The text of the tag: a catalogue key. */
  tag: { key: string; params: JsonObject } | null;
  /** Below the tag: what a client cannot know from now on. */
  doubt: { key: string; params: JsonObject } | null;
  /** Red: refused, lost, broken. */
  bad: boolean;
  /** The comparison, after the tag. */
  compared: readonly [unknown, unknown][];
  /** Ids of messages with this step's fates. */
  messages: { sent: number[]; delivered: number[]; dropped: number[]; lost: number[]; delayed: number[]; duplicated: number[] };
}

export const NO_FOCUS: Focus = {
  kind: "none", actor: null, partition: null, offset: null, gates: [], transactional_id: null, state: null, tag: null, doubt: null,
  bad: false, compared: [], messages: { sent: [], delivered: [], dropped: [], lost: [], delayed: [], duplicated: [] },
};

/** Order of cause and effect: `cause` travels first, `effect` lands, `gate` slides last, `tag` appears while it lands. */
export type Phase = "static" | "cause" | "compare" | "effect" | "gate" | "tag";

/** One thing in the picture. Its key stays the same as long as the thing does. */
export interface StageObject {
  key: string;
  /** Its drawing has its origin here; width and height serve rings of selection and the camera. */
  x: number;
  y: number;
  width: number;
  height: number;
  phase: Phase;
  /** The depth: wires 0, bodies 1, cells 2, gates 3, messages 4, ghosts and rings 5, tag 6, an answer's numbers 7. */
  depth: number;
  draw: SVGTemplateResult;
  /** Where it comes from when it is new. */
  from?: Point;
  /** It belongs to this step's cause or effect: a projector's camera holds it in the picture. */
  hot?: boolean;
  /** Makes it a button. */
  select?: Selection;
  /** Other things that it shows: an answer about one of these has its number here. */
  holds?: readonly Selection[];
  /** A button that asks the engine why (docs/websocket.md), if it can be asked. */
  ask?: { question: string; subject: string };
  /** A button that shows what a term means (static/player/terms.ts). */
  term?: string;
  /** A button of an upright stage: a press selects this and gives it a place here. */
  brings?: Selection;
  /** A number of the answer to *why*: a press shows its sentence. */
  link?: number;
  picked?: boolean;
  /** x of the mark for available actions, if there are any. */
  grip?: number;
  /** It belongs to the step before and fades. */
  gone?: boolean;
  /** For screen readers; "" where the diagram's text says it. */
  label: string;
}

/** Makes objects for one frame; layers.ts lists all of them. */
export type Layer = (frame: Frame, here: Places, focus: Focus) => StageObject[];

/** Animates what moved (motion.ts). `nodes` finds the drawn group of a key; both lists are whole pictures. */
export interface Mover {
  play(nodes: (key: string) => SVGGElement | null, before: readonly StageObject[], after: readonly StageObject[]): void;
  /** Ends at once: another step, a jump, less motion. */
  stop(): void;
}

export interface Window {
  /** The first drawn offset; earlier offsets are counted. */
  first: number;
  /** x of an offset, also behind the end of the log. */
  x: (offset: number) => number;
  /** px of an offset. */
  unit: number;
}

/** A log with its batches, as the engine's view of a replica. */
type Batches = Readonly<Record<string, { base_offset: number; last_offset: number }>>;

/** px of an offset's width in a lane that shows all of its offsets, at least. */
export const OFFSET_LEAST = 20;
/** The same in a lane that was planned for a shorter run: narrow offsets are better than missing first records. */
const GROWN_LEAST = 15;

/**
 * The width of an offset in a lane that was planned for a shorter run, so that all still fit; the lane's own width if
 * they cannot.
 */
function unitOf({ strip, cells: { width, unit, most, after, near = 0 } }: LanePlace, count: number): number {
  const room = width - after;
  // A short log is enlarged to four times or twice the width, as long as the next batch still fits.
  const times = [4, 2].find((one) => unit * one <= near && (count + 2) * unit * one <= room);
  if (times !== undefined) return unit * times;
  return strip || most < Number.MAX_SAFE_INTEGER || count * unit <= room || count * GROWN_LEAST > room ? unit : Math.floor((10 * room) / count) / 10;
}

/**
 * Which offsets a lane shows: all while they fit, else the newest. The same rule for cells, gates and ghosts.
 * A log that the plan knows to be long has batches of at most `cells.most` offsets' width.
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

/** Whether a run has brokers and a middleware. */
export function hasBoth({ brokers, middleware }: Pick<StagePlan, "brokers" | "middleware">): boolean {
  return brokers.length > 0 && (middleware?.participants ?? []).length > 0;
}

/** The boxes in the corner of the network; none with a middleware. */
export function cornersOf(here: Places): Box[] {
  return here.kind === "cluster" ? CORNERS.flatMap((name) => here.others[name]?.box ?? []) : [];
}

/** Places the names of the gates above a lane, and computes the room that they leave for an arriving batch. Pure. */

import { range } from "../diagrams/batch.ts";
import type { Frame, LogBatchView, ReplicaView } from "../player/frame.ts";
import { say } from "../player/text.ts";
import type { Focus, LanePlace, Places, Window } from "./contract.ts";
import { textWidth } from "./draw.ts";

/** A cell at least so many units wide has its ring inside the gates at its edges, and its numbers inside the ring. */
export const RING_INSIDE = 80;

interface LaneNamed {
  focus: Focus;
  partition: string;
  place: LanePlace;
  here: Places;
}

export interface Name {
  from: number;
  to: number;
}

interface GateNames {
  lso: { x: number; said: string; anchor: "start" | "middle" | "end" };
  hw: { x: number; said: string; anchor: "start" | "middle" } | null;
  taken: Name[];
}

/** The places of the gates' names. Between them, there is room for the text that says why records are held back. */
export function gateNames({ box: lane }: LanePlace, window: Window, replica: ReplicaView, from = lane.x): GateNames {
  const { last_stable_offset: stable, high_watermark: high } = replica;
  const [left, right] = [window.x(stable), window.x(high)];
  // Names stay inside the lane's box.
  const [least, most] = [from + 6, lane.x + lane.width - 6];
  if (stable === high) {
    const said = say("stage.gate.both", { offset: high });
    const half = textWidth(said, 12, true) / 2;
    const x = Math.max(least + half, Math.min(right, most - half));
    return { lso: { x, said, anchor: "middle" }, hw: null, taken: [{ from: x - half, to: x + half }] };
  }
  const [lso, hw] = [say("stage.gate.lso", { offset: stable }), say("stage.gate.hw", { offset: high })];
  const [lsoWidth, hwWidth] = [textWidth(lso, 12, true), textWidth(hw, 12)];
  const lsoEnd = Math.max(left + 3, least + lsoWidth);
  const hwStart = Math.max(lsoEnd + 6, Math.min(right - 1, most - hwWidth));
  return {
    lso: { x: lsoEnd, said: lso, anchor: "end" }, hw: { x: hwStart, said: hw, anchor: "start" },
    taken: [{ from: lsoEnd - lsoWidth, to: lsoEnd }, { from: hwStart, to: hwStart + hwWidth }],
  };
}

/** The batch of a lane that has the step's ring (ghosts.ts). */
export function ringedBatch({ focus, partition }: LaneNamed, replica: ReplicaView): LogBatchView | undefined {
  const rings = focus.kind === "append" || focus.kind === "duplicate" || focus.kind === "refused";
  return rings && focus.partition === partition && focus.offset !== null ? replica.batches[String(focus.offset)] : undefined;
}

/**
 * A function that says whether a gate at an offset is at the edge of the batch with the ring, if that batch is narrow.
 * The ring is then drawn over the gate, which is visible above and below it. A wide batch has its ring inside
 * (ghosts.ts).
 */
export function isBehindRing(lane: LaneNamed, replica: ReplicaView, window: Window): (offset: number) => boolean {
  const ringed = ringedBatch(lane, replica);
  const isNarrow = ringed !== undefined && !lane.place.strip && window.x(ringed.last_offset + 1) - window.x(ringed.base_offset) < RING_INSIDE;
  return (offset) => isNarrow && (ringed.base_offset === offset || ringed.last_offset + 1 === offset);
}

/** The least width, in units, in which the arriving batch of this step can show its sequence numbers. */
export function ghostNeeds({ step }: Frame): number {
  const { first_sequence: first, last_sequence: last } = (step?.decision?.arrived ?? {}) as Record<string, number | null | undefined>;
  return first == null || first < 0 ? 34 : Math.max(34, textWidth(range(first, last ?? first), 15, true) + 12);
}

/** The least width, in px, in which an arriving batch is over the compared one, so that bars can join the two. */
const JOINED = 10;

/** px between the names of gates and an arriving batch beside them. */
const CLEAR = 4;

/**
 * The least x for names of gates that are raised over a ring, so that they begin after the broker's name; undefined if
 * they do not reach up to its line.
 */
function behindName({ here, partition, place }: LaneNamed): number | undefined {
  if (!here.upright) {
    const [name, broker] = Object.entries(here.brokers).find(([, { lanes }]) => lanes[partition] === place) ?? [];
    return name === undefined || broker === undefined || place.cells.y + RAISED - 12 > broker.box.y + 24 ? undefined : broker.box.x + 14 + textWidth(name, 15, true);
  }
  const ends = Object.entries(here.brokers).map(([name, { panel }]) => (panel === undefined ? 0 : panel.x + textWidth(name, 14, true) + 24));
  return Math.max(0, ...ends) || undefined;
}

/** y of the baseline of the gates' names from the top of the cells: `LEVEL` usually, `RAISED` over a ring. */
const LEVEL = -11;
const RAISED = -18;

/**
 * The names of the gates in this step, with their baseline `y`. `arrives`: the range of x for the drawing of the
 * arriving batch above the batch with which it is compared; null if none is compared. `needs`: the least width of that
 * range.
 */
export function namesBeside(lane: LaneNamed, replica: ReplicaView, window: Window, needs: number): GateNames & { y: number; arrives: Name | null } {
  const { focus, partition, place } = lane;
  const isBehind = isBehindRing(lane, replica, window);
  const y = isBehind(replica.high_watermark) || isBehind(replica.last_stable_offset) ? RAISED : LEVEL;
  const names = gateNames(place, window, replica, y < LEVEL ? behindName(lane) : undefined);
  const compared = focus.kind === "duplicate" && focus.partition === partition && focus.offset !== null ? replica.batches[String(focus.offset)] : undefined;
  if (compared === undefined || compared.last_offset < window.first) return { ...names, y, arrives: null };
  const [start, end] = [window.x(Math.max(compared.base_offset, window.first)) + 1, window.x(compared.last_offset + 1) - 1];
  // The arriving batch begins after the broker's name, if it is then still over the compared batch.
  const after = (behindName(lane) ?? 0) + CLEAR;
  const from = after > start && after + JOINED <= end ? after : start;
  const whole: Name = { from, to: from + Math.max(end - from, 34, needs) };
  const [name] = names.taken;
  if (names.hw !== null || name === undefined || name.to + CLEAR <= whole.from || name.from - CLEAR >= whole.to) return { ...names, y, arrives: whole };
  const wide = name.to - name.from;
  const [least, most] = [place.box.x + 6, place.box.x + place.box.width - 6];
  const put = (start: number): GateNames => ({ ...names, lso: { ...names.lso, x: start, anchor: "start" }, taken: [{ from: start, to: start + wide }] });
  const gate = window.x(replica.high_watermark);
  const beside = Math.max(gate + 8, whole.to + CLEAR);
  if (compared.last_offset + 1 === replica.high_watermark && beside + wide <= most) return { ...put(beside), y, arrives: whole };
  // The arriving batch is beside the name or, if it has no room there, the name moves to the other side of its gate.
  const rest: Name = gate < (whole.from + whole.to) / 2 ? { from: name.to + CLEAR, to: whole.to } : { from: whole.from, to: name.from - CLEAR };
  if (rest.to - rest.from >= needs) return { ...names, y, arrives: rest };
  if (whole.from - 6 - wide >= least) return { ...put(whole.from - 6 - wide), y, arrives: whole };
  return { ...names, y, arrives: whole };
}

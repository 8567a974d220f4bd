/**
 * Computes the wing, for a run with brokers and a middleware: the brokers' picture is on the left of the stage, and the
 * nodes of the middleware are one below the other in a wing on its right, so that all have fixed places. A stage
 * without room for a wing shows one of the two pictures at a time. Pure.
 */

import { svg } from "lit";
import { round } from "../diagrams/geometry.ts";
import type { Frame } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { hasBoth } from "./contract.ts";
import type { Focus, Layer, Places, Size, StageObject, StagePlan, Wing } from "./contract.ts";
import { DEPTH } from "./depth.ts";
import { path, text } from "./draw.ts";
import { wingPlaces } from "./middleware-places.ts";
import type { Travelling } from "./network.ts";

/** `least`: a stage at least so many px wide has room for a wing. `share`: the wing's share of the stage's width. */
const ROOM = { least: 1180, share: 0.29 };
/** Height of the heading above the nodes, in units. */
const TOP = 22;

/** The size of the brokers' picture: the whole stage, or the part that a wing leaves. */
export function besideWing(plan: StagePlan, size: Size): Size {
  const splits = hasBoth(plan) && size.form !== "phone" && size.width >= ROOM.least;
  return splits ? { ...size, width: Math.floor(size.width * (1 - ROOM.share)) } : size;
}

/** The wing beside `run`, the brokers' picture in the size that `besideWing` gives it. Null if there is no wing. */
export function wingOf(plan: StagePlan, run: Places, size: Size): Wing | null {
  const own = besideWing(plan, size);
  if (own === size) return null;
  const width = round((run.width * size.width) / own.width);
  const here = wingPlaces(plan, width - run.width, run.height - TOP);
  return here === null ? null : { here, x: run.width, y: TOP, width };
}

/** The objects of the nodes in the wing and of the messages between them, in the units of the whole picture. */
export function wingObjects(frame: Frame, { here, x, y }: Wing, focus: Focus, layers: readonly Layer[]): StageObject[] {
  const moved = ([left, top]: readonly [number, number]): [number, number] => [round(left + x), round(top + y)];
  const objects = layers.flatMap((layer) => layer(frame, here, focus)).map((one: Partial<Travelling> & StageObject): StageObject => {
    const [left, top] = moved([one.x, one.y]);
    return { ...one, x: left, y: top, ...(one.via === undefined ? {} : { via: one.via.map(moved) }), ...(one.from === undefined ? {} : { from: moved(one.from) }) };
  });
  return [{
    key: "heads:wing", x, y: 0, width: 0, height: 0, phase: "static", depth: DEPTH.body, label: "",
    draw: svg`${path(`M0,8V${round(here.height + y - 8)}`, "hair")}${text(10, 18, say("stage.head.middleware"), "s13 q")}`,
  }, ...objects];
}

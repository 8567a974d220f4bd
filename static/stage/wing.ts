/**
 * A run with brokers and a middleware: the brokers' picture has the left of the stage, the nodes of the middleware stand one under the
 * other in a wing at its right, so that both have fixed places. A stage without room for that shows one of the two. Pure.
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

/** px of a stage from which it has room for a wing, and the share of its width that the wing has. */
const ROOM = { least: 1180, share: 0.29 };
/** Units over the nodes, for their heading. */
const TOP = 22;

/** The room of the brokers' picture. */
export function besideWing(plan: StagePlan, size: Size): Size {
  const splits = hasBoth(plan) && size.form !== "phone" && size.width >= ROOM.least;
  return splits ? { ...size, width: Math.floor(size.width * (1 - ROOM.share)) } : size;
}

/** `run`: the brokers' picture in the room that `besideWing` gives it. Null where it has no wing. */
export function wingOf(plan: StagePlan, run: Places, size: Size): Wing | null {
  const own = besideWing(plan, size);
  if (own === size) return null;
  const width = round((run.width * size.width) / own.width);
  const here = wingPlaces(plan, width - run.width, run.height - TOP);
  return here === null ? null : { here, x: run.width, y: TOP, width };
}

/** The nodes of the wing and the messages between them, in the units of the whole picture. */
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

/**
 * Draws the parts of a lane that only a phone has: its name in the small box of a broker or in a row of its own, and
 * the gates of such a row.
 */

import { svg } from "lit";
import type { ReplicaView } from "../player/frame.ts";
import { say } from "../player/text.ts";
import type { StageObject } from "./contract.ts";
import { DEPTH } from "./depth.ts";
import { fittedText, text, textWidth } from "./draw.ts";
import type { LaneOf } from "./lanes.ts";

export function chipName({ broker, partition, place }: LaneOf, middle: number): StageObject {
  const { box: own, cells } = place;
  const width = cells.x - own.x - 6;
  return {
    key: `name:${broker}:${partition}`, x: own.x + 4, y: own.y, width, height: own.height, phase: "static", depth: DEPTH.body,
    label: say("diagram.lanes.title_name", { partition }), brings: { kind: "partition", id: partition },
    draw: svg`<rect class="hit" width=${width} height=${own.height}/>${fittedText(4, middle - own.y + 4, partition, width - 4, 12, { classes: "k", least: 8 })}`,
  };
}

/** The name of a row on a phone, with the partition and its broker. A press on it shows the lane at full size. */
export function rowName({ here, broker, partition, place }: LaneOf, y: number, middle: number): StageObject {
  const width = place.cells.x - place.box.x - 6;
  const owner = here.kind === "log" ? "" : broker;
  const name = textWidth(partition, 12, true);
  const fits = name + 6 + textWidth(owner, 12) <= width - 4;
  const drawn = fits ? svg`${text(4, middle - y + 4, partition, "s12 b")}${text(10 + name, middle - y + 4, owner, "s12 q")}`
    : fittedText(4, middle - y + 4, `${partition} ${owner}`, width - 4, 12, { bold: true, classes: "b", most: 2, least: 8 });
  return {
    key: `name:${broker}:${partition}`, x: place.box.x + 8, y, width, height: place.box.height, phase: "static", depth: DEPTH.body,
    label: say("diagram.lanes.title_name", { partition }), brings: { kind: "partition", id: partition },
    draw: svg`<rect class="hit" width=${width} height=${place.box.height}/>${drawn}`,
  };
}

/** The gates of a row on a phone: a text at its end with their offsets. */
export function rowGates({ partition, place }: LaneOf, { last_stable_offset: stable, high_watermark: high }: ReplicaView): StageObject[] {
  const said = stable === high ? say("stage.gate.both", { offset: high }) : `${say("stage.gate.lso", { offset: stable })} ${say("stage.gate.hw", { offset: high })}`;
  const { box: own, cells } = place;
  return [{
    key: `gates:${partition}`, x: own.x, y: cells.y, width: 0, height: 0, phase: "gate", depth: DEPTH.gate, label: "",
    draw: fittedText(own.width - 8, cells.height / 2 + 4, said, 88, 12, { bold: true, classes: "b", least: 9, anchor: "end" }),
  }];
}

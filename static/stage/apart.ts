/** Draws the marks on things that differ in the compared run. Pure. */

import { svg } from "lit";
import { round } from "../diagrams/geometry.ts";
import type { Places, StageObject } from "./contract.ts";
import { objectOf } from "./chain.ts";

const SIZE = 20;
/** Units by which a mark is above the corner of its thing. */
const OVER = 8;

export function apartMarks(objects: readonly StageObject[], names: readonly string[], here: Places): StageObject[] {
  return names.flatMap((name) => {
    const object = objectOf(objects, { kind: "actor", id: name });
    if (object === undefined) return [];
    const x = round(Math.min(object.x + object.width - SIZE + OVER, here.width - SIZE - 1));
    const y = round(Math.max(object.y - OVER, 1));
    return [{
      key: `apart:${name}`, x, y, width: SIZE, height: SIZE, phase: "static", depth: 7, label: "",
      draw: svg`<rect class="apart-mark" width=${SIZE} height=${SIZE} rx="4"/><text class="b s13" x=${SIZE / 2} y="15" text-anchor="middle">≠</text>`,
    } satisfies StageObject];
  });
}

/**
 * Draws a text below the network's name if much virtual time passes before the step: how much, and which timer or call
 * ends that time. The engine says both.
 */

import { svg } from "lit";
import { say, span } from "../player/text.ts";
import type { Layer } from "./contract.ts";
import { DEPTH } from "./depth.ts";
import { fittedText, text } from "./draw.ts";

export const leapLayer: Layer = ({ step }, { network, upright, kind, others, wing }) => {
  const leap = step?.derived?.leap;
  if (step === null || leap === undefined) return [];
  const { actor } = step;
  // In a run with brokers and a middleware there are two networks: the text is in the picture that has the step's
  // actor.
  if (kind === "middleware" ? others[actor] === undefined : wing?.here.others[actor] !== undefined) return [];
  const passes = say("stage.leap", { gap: span(leap.ms) });
  const ends = upright || leap.ends === undefined ? "" : leap.ends === "call" ? say("stage.leap.call", { actor }) : say("stage.leap.timer", { kind: say(`diagram.timer.kind.${leap.ends}`), actor });
  const [x, y] = upright ? [network.x + 8, network.y + 18] : [network.x + 24, 40];
  const wide = network.x + network.width - x - 8;
  return [{
    key: "leap", x, y: y - 13, width: 0, height: 0, phase: "static", depth: DEPTH.body, label: `${passes} ${ends}`,
    draw: svg`<g class="leap">${text(0, 13, passes, "s13 b")}${fittedText(0, 29, ends, wide, 13, { classes: "k", least: 10 })}</g>`,
  }];
};

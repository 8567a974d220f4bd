/**
 * Draws the states of one transaction at a node of the middleware (a "ladder"): one below the other, in the order in
 * which the node reaches them. Passed states are solid, the current one is black. Future states, which the engine's
 * plan knows, have their places but are not drawn, because readers would take them for past ones. Pure.
 */

import { nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import type { Frame } from "../player/frame.ts";
import type { Box } from "./contract.ts";
import { box, fittedText, path } from "./draw.ts";
import { stateWord } from "./state-word.ts";

const PILL = 26;
const GAP = 8;
const LEAST_GAP = 4;
/** A ladder has room for so many states, so that a branch with more states moves none of them. */
const STATES = 6;

export interface Rung {
  state: string;
  look: "past" | "on" | "ahead";
}

/** The box of a ladder, measured from the upper left corner of its node's box. */
export type LadderPlace = Box;

/**
 * The states on the ladder of a transaction at a node. `state`: the current one; undefined while the node does not know
 * the transaction. A run without a plan shows only this state.
 */
export function rungsOf(frame: Frame, node: string, tid: string | null, state: string | undefined): Rung[] {
  const ways = frame.plan?.passed?.[node] ?? {};
  const way = ways[tid ?? ""] ?? (tid === null ? Object.values(ways)[0] : undefined) ?? [];
  const now = frame.step?.number ?? 0;
  const rungs = way.map(({ state: one, since }): Rung => ({ state: one, look: one === state ? "on" : state !== undefined && since <= now ? "past" : "ahead" }));
  if (state === undefined || way.some(({ state: one }) => one === state)) return rungs;
  const ahead = rungs.findIndex(({ look }) => look === "ahead");
  rungs.splice(ahead < 0 ? rungs.length : ahead, 0, { state, look: "on" });
  return rungs;
}

/** The box of the pill of a state, given by its index. */
export function rungBox(rungs: readonly Rung[], index: number, { x, y, width, height: room }: LadderPlace): Box {
  const pitch = Math.min(PILL + GAP, room / Math.max(STATES, rungs.length));
  return { x, y: y + index * pitch, width, height: Math.min(PILL, pitch - LEAST_GAP) };
}

/** Draws a ladder. `without`: the index of a pill that is left out because the step's tag is in its place; −1: none. */
export function ladder(rungs: readonly Rung[], place: LadderPlace, without = -1): SVGTemplateResult {
  return svg`${rungs.map(({ state, look }, index) => {
    const { x, y, width, height } = rungBox(rungs, index, place);
    const gap = index === 0 ? 0 : y - rungBox(rungs, index - 1, place).y - height;
    const arrow = gap < 6 ? nothing : path(`M${x + width / 2},${y - gap}v${gap - 1}m-3.5,-3.5l3.5,3.5l3.5,-3.5`, "rail");
    if (look === "ahead") return nothing;
    if (index === without) return arrow;
    return svg`${arrow}${box(x, y, width, height, `pill ${look}`, height / 2)}${
      fittedText(x + width / 2, y + height / 2 + 4.5, stateWord(state), width - 10, Math.min(13, height - 5), { least: 8, anchor: "middle", bold: look === "on", classes: look === "on" ? "inv" : "k" })}`;
  })}`;
}

/**
 * Draws what only an upright picture has: the small boxes of brokers, the comparison over the whole width, and the
 * legend of a log case. Chooses the size of a tag there.
 */

import { nothing, svg } from "lit";
import { wrap } from "../diagrams/geometry.ts";
import { plainly } from "../diagrams/picked.ts";
import type { Frame } from "../player/frame.ts";
import { named, sentences } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { copies, stateWord } from "./brokers.ts";
import type { BrokerPlace, Focus, Places, StageObject } from "./contract.ts";
import type { Decided } from "./decided.ts";
import { fieldText } from "./decided.ts";
import { DEPTH } from "./depth.ts";
import type { Drawn } from "./draw.ts";
import { box, fitted, fittedText, path, text, textWidth } from "./draw.ts";
import { freePlace, object, shownLane } from "./ghosts.ts";
import { COVERS } from "./label-place.ts";
import { networkOf } from "./network.ts";
import { tagHeight, tagWidth } from "./tag-size.ts";
import { isOnRail, placeOf } from "./tag.ts";

const CHIP = { name: 15, head: 20 };

/**
 * A broker's small box, where messages leave and arrive, and its large one while it is unfolded. Both have its name in
 * the same form.
 */
export function chipOf(frame: Frame, here: Places, focus: Focus, name: string, place: BrokerPlace): StageObject[] {
  const { width, height } = place.box;
  const isDown = frame.view.brokers?.[name.replace(/^broker-/, "")]?.alive === false;
  const state = stateWord(frame, name);
  const open = place.panel !== undefined;
  const { size } = fitted(name, width - 16, 12, { bold: true, least: 8 });
  const said = textWidth(name, size, true);
  const left = size < 12 ? 8 : 11;
  const room = width - said - 26;
  const chip: StageObject = {
    key: `broker:${name}`, ...place.box, phase: "static", depth: DEPTH.body, label: state === null ? name : named(name, state), brings: plainly("actor", name),
    draw: svg`${box(0, 0, width, height, `body${isDown ? " dead" : ""}`, 7)}${open ? svg`${box(0, 0, width, height, "unfolded", 7)}${box(left - 6, 3, said + 12, 16, "tag", 4)}` : nothing}${
      text(left, CHIP.name, name, `s${size} b${open ? " inv" : ""}`)}${
      state === null || room < 18 ? nothing : fittedText(width - 7, CHIP.name, state, room, 12, { classes: "k", least: 8, anchor: "end" })}${
      isDown ? path(`M6,${CHIP.head + 2}L${width - 6},${height - 5}M${width - 6},${CHIP.head + 2}L6,${height - 5}`, "crossed") : nothing}`,
  };
  const { panel } = place;
  if (panel === undefined) return [chip];
  const small = copies(frame, here, focus, name, place).drawn;
  return [chip, {
    key: "panel", ...panel, phase: "static", depth: DEPTH.body, label: "",
    draw: svg`${box(0, 0, panel.width, panel.height, `body${isDown ? " dead" : ""}`, 8)}${box(8, 5, textWidth(name, 14, true) + 14, 19, "tag", 4)}${
      text(15, 19, name, "s14 b inv")}${state === null ? nothing : text(textWidth(name, 14, true) + 30, 19, state, "s13 k")}${small}`,
  }];
}

const LOW = { pad: 8, line: 16, gap: 12, side: 10 };

/**
 * The comparison in a few lines over the whole width, between client and broker. Null if messages leave no room there;
 * it is then at the foot of the stage.
 */
export function lowComparison(frame: Frame, here: Places, focus: Focus, decided: Decided): StageObject | null {
  const { by, sentence, answer, fields } = decided;
  const width = here.width - 2 * LOW.side;
  const room = width - 2 * LOW.pad;
  const lines = wrap(sentences([sentence, answer]), room, 13, true, textWidth);
  const rows = [{ said: `${say("diagram.decision.arrived")} | ${say("diagram.decision.stored")}`, differs: false }, ...fields.map((field) => ({ said: fieldText(field), differs: field.arrived !== field.stored && field.stored !== "–" }))];
  let [x, row] = [0, 0];
  const placed = rows.map(({ said, differs }) => {
    const wide = textWidth(said, 12, differs);
    if (x > 0 && x + wide > room) [x, row] = [0, row + 1];
    const at = { said, differs, x: LOW.pad + x, row };
    x += wide + LOW.gap;
    return at;
  });
  const off = decided.off.flatMap((one) => wrap(one, room, 12, false, textWidth));
  const height = LOW.pad + (lines.length + row + 1 + off.length) * LOW.line + 3;
  const { y, covers } = freePlace(frame, here, focus, { width, height }, here.network.y + height / 2 + 2);
  if (covers > 0 || y + height > here.network.y + here.network.height) return null;
  const drawn = svg`${box(0, 0, width, height, "card", 6)}${lines.map((line, number) => text(LOW.pad, 17 + number * LOW.line, line, "s13 b"))}${
    placed.map(({ said, differs, x: left, row: number }, index) => text(left, 17 + (lines.length + number) * LOW.line, said, index === 0 ? "s12 q" : differs ? "s12 b" : "s12 k"))}${
    off.map((line, number) => text(LOW.pad, 17 + (lines.length + row + 1 + number) * LOW.line, line, "s12 k"))}`;
  return object("compare", { x: LOW.side, y, width, height }, drawn, { phase: "compare", depth: 4, label: say("stage.ghost.compare_name", { by, rule: sentence, answer }), hot: false });
}

const HOW_TO_READ = ["stage.log.how_cells", "stage.log.how_open", "stage.log.how_gates"] as const;

/** The legend of a log case, below the log; empty if there is no room for it and for a tag. */
export function howBelow(here: Places): StageObject[] {
  if (here.kind !== "log" || Object.values(here.readers).some((rows) => Object.keys(rows).length > 0)) return [];
  const foot = Math.max(...Object.values(here.brokers).map(({ box: one }) => one.y + one.height), ...(here.rows ?? []).map((row) => row.y + row.height));
  const { drawn, end } = how(14, foot + 52, 20, here.width - 28);
  if (end > here.height - 8) return [];
  return [{ key: "heads", x: 0, y: 0, width: 0, height: 0, phase: "static", depth: DEPTH.body, label: "", draw: svg`${drawn}` }];
}

/**
 * The drawing of the legend: a title at `y`, and from `gap` units below it on the sentences. `end`: y of the last line.
 */
function how(x: number, y: number, gap: number, width: number): { drawn: Drawn; end: number } {
  let next = y + gap;
  const parts = HOW_TO_READ.map((key) => {
    const lines = wrap(say(key), width, 13);
    const at = next;
    next += lines.length * 18 + 8;
    return lines.map((line, index) => text(x, at + index * 18, line, "s13 q"));
  });
  return { drawn: svg`${text(x, y, say("stage.log.how"), "s13 b")}${parts}`, end: next - 26 };
}

/**
 * Whether a response says the same as the tag would, so that the tag is left out: the response has the tag's error, or
 * the identity that the client receives, and is right beside the component that the tag is about.
 */
export function isOnAnswer(frame: Frame, here: Places, focus: Focus): boolean {
  const { flights } = networkOf(frame, here, focus);
  const error = focus.tag?.params["error"];
  if (focus.kind === "client" && here.clients[focus.actor ?? ""]?.panel !== undefined) {
    const isIdentity = focus.tag?.key === "stage.tag.identity";
    return flights.some(({ message, sheet, fate }) => message.to === focus.actor && ((sheet.bad && sheet.words === error) || (isIdentity && fate.docked && message.api === "InitProducerId")));
  }
  return focus.kind === "refused" && isOnRail(here, focus) && flights.some(({ message, sheet }) => message.from === focus.actor && sheet.bad && sheet.words === error);
}

const TAG_SIZES = [15, 13, 12] as const;

/**
 * The size of a tag's letters, in units: the largest one with which it has a free place. A smaller one is preferred if
 * the tag then is in the box of the component that it is about, and not in the network.
 */
export function uprightSize(frame: Frame, here: Places, focus: Focus, said: string): number {
  const body = shownLane(frame, here, focus)?.broker.panel;
  const fitting = TAG_SIZES.map((size) => ({ size, ...placeOf(frame, here, focus, tagWidth(said, size), tagHeight(size)) })).filter(({ covers }) => covers <= COVERS);
  return (fitting.find(({ y }) => body !== undefined && y >= body.y && y < body.y + body.height) ?? fitting.find(({ covers }) => covers < 1) ?? fitting[0])?.size ?? TAG_SIZES[0];
}

/** Draws brokers: the box, copies of logs that other brokers lead, and the lanes and the coordinator in the box. */

import { nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import { INTERNAL } from "../diagrams/internal-partitions.ts";
import { round } from "../diagrams/geometry.ts";
import { isPicked, plainly } from "../diagrams/picked.ts";
import { shownReplica } from "../diagrams/shown-replica.ts";
import type { Frame, LogBatchView, ReplicaView } from "../player/frame.ts";
import { listed, named, sentences } from "../player/joins.ts";
import { say } from "../player/text.ts";
import type { BrokerPlace, Focus, Layer, Places, StageObject } from "./contract.ts";
import { TOOL, wholeOf } from "./contract.ts";
import { coordinatorObjects } from "./coordinator.ts";
import { DEPTH } from "./depth.ts";
import type { Drawn } from "./draw.ts";
import { box, fittedText, path, text, textWidth } from "./draw.ts";
import { hasNameAbove, laneObjects } from "./lanes.ts";
import { phoneParts } from "./later.ts";
import { POSSIBLE } from "./places.ts";
import { survivingLog } from "./surviving-log.ts";
import { hueInLog } from "../diagrams/instance.ts";
import { legend, legendIn, signsOfLog } from "./legend.ts";
import { SIGN } from "./legend-size.ts";

/** The most batches that a small copy draws. */
const COPY_CELLS = 10;
const HEAD = 26;

export const brokers: Layer = (frame, here, focus) =>
  Object.entries(here.brokers).flatMap(([name, place]) => brokerObjects(frame, here, focus, name, place));

function brokerObjects(frame: Frame, here: Places, focus: Focus, name: string, place: BrokerPlace): StageObject[] {
  const broker = frame.view.brokers?.[name.replace(/^broker-/, "")];
  const alive = broker?.alive !== false;
  const focused = focus.actor === name && (focus.kind === "actor" || focus.kind === "leader");
  // No box is drawn here for a place that has only a coordinator, and for a strip in a row: other functions draw them.
  const apart = (place.coordinator !== null && place.coordinator.box === place.box) || (here.upright && place.folded);
  const objects: StageObject[] = place.rows !== undefined ? phoneParts().chip(frame, here, focus, name, place) : apart ? [] : bodyOf(frame, here, focus, name, place, alive, focused);
  for (const [partition, lane] of Object.entries(place.lanes)) {
    const own = laneObjects({ frame, here, focus, broker: name, partition, place: lane });
    objects.push(...(alive || lane.strip ? own : own.map(dimmed)));
  }
  for (const [partition, lane] of Object.entries(place.echo ?? {})) objects.push(...laneObjects({ frame, here, focus, broker: name, partition, place: lane, echo: true }));
  if (place.coordinator !== null) objects.push(...(alive ? coordinatorObjects(frame, here, focus, name, place.coordinator) : survivingLog(frame, here, name, place.coordinator)));
  if (focused) {
    objects.push({
      key: "ring:actor", ...wholeOf(place), phase: "effect", depth: DEPTH.gate, hot: true, label: "",
      draw: box(0, 0, wholeOf(place).width, wholeOf(place).height, "ring", 8),
    });
  }
  return objects;
}

/** The lanes of a broker that is down: dimmed, and nothing in them is a button. */
function dimmed({ select: _select, ask: _ask, term: _term, ...object }: StageObject): StageObject {
  return { ...object, label: "", draw: svg`<g class="dim">${object.draw}</g>` };
}

export function stateWord(frame: Frame, name: string): string | null {
  const broker = frame.view.brokers?.[name.replace(/^broker-/, "")];
  if (broker === undefined) return null;
  if (!broker.alive) return say("stage.down");
  if (broker.starting) return say("stage.starting");
  if (broker.paused) return say("stage.paused");
  const cut = cutOff(frame, name);
  return cut === null ? null : say(`stage.cut_off.${cut}`);
}

/** From whom a running broker is cut off at this step; null: from none. */
function cutOff({ plan, step }: Frame, name: string): "brokers" | "controller" | null {
  const now = step?.number ?? 0;
  const found = plan?.cut_off?.[name]?.find(({ since, until }) => since <= now && (until === null || now < until));
  return found?.from ?? null;
}

/** px from a broker's left edge to the end of its first line, which has its name and its state. */
export function headEnd(frame: Frame, name: string): number {
  const state = stateWord(frame, name);
  return 24 + textWidth(name, 15, true) + (state === null ? 0 : textWidth(state, 13) + 10);
}

function bodyOf(frame: Frame, here: Places, focus: Focus, name: string, place: BrokerPlace, alive: boolean, focused: boolean): StageObject[] {
  const { width, height } = place.box;
  const files = here.kind === "log";
  const title = files ? say("stage.files") : name;
  const state = stateWord(frame, name);
  const selection = plainly("actor", name);
  const after = 12 + textWidth(title, 15, true) + 12;
  const small = copies(frame, here, focus, name, place).drawn;
  const body: StageObject = {
    key: `broker:${name}`, ...place.box, phase: "static", depth: DEPTH.body,
    draw: svg`${box(0, 0, width, height, `body${alive ? "" : " dead"}`, 8)}${focused ? box(1, 1, width - 2, HEAD, "wash", 7) : nothing}${
      text(12, 19, title, "s15 b")}${alive ? nothing : path(`M9,14H${after - 9}`, "crossed")}${state === null || focused ? nothing : text(after, 19, state, "s13 k")}${small}`,
    label: files ? title : "", picked: isPicked(frame.selection, selection),
  };
  // The broker's name is the button, because lanes and the coordinator lie over the rest of the box.
  const reach = Math.min(width - 8, after + (state === null ? 0 : textWidth(state, 13)));
  return files ? [body] : [body, {
    key: `head:${name}`, x: place.box.x + 4, y: place.box.y + 2, width: reach, height: HEAD - 2, phase: "static", depth: DEPTH.body,
    draw: svg`<rect class="hit" width=${reach} height=${HEAD - 2}/>`, select: selection, label: state === null ? title : named(title, state),
  }];
}

/**
 * The broker's copies of partitions that other brokers lead, in the broker's first line, from its right edge to the
 * left; copies without room are counted.
 */
export function copies(frame: Frame, here: Places, focus: Focus, name: string, place: BrokerPlace): { drawn: SVGTemplateResult | typeof nothing; /** px from the box's left edge to the leftmost copy. */ from: number } {
  const id = name.replace(/^broker-/, "");
  const alive = frame.view.brokers?.[id]?.alive !== false;
  const state = stateWord(frame, name);
  const from = 24 + textWidth(here.kind === "log" ? say("stage.files") : name, 15, true) + (state === null ? 0 : textWidth(state, 13) + 14);
  const kept = Object.entries(frame.view.partitions ?? {}).filter(([partition, view]) =>
    !INTERNAL.test(partition) && !here.away.lanes.includes(partition) && id in view.replicas && String(view.leader) !== id
    && (!(partition in place.lanes) || !alive) && !(here.upright && place.rows === undefined && Object.values(here.brokers).some(({ lanes }) => lanes[partition]?.strip === true)));
  // On a phone, the first line of an unfolded broker is kept free for the tag of its lane.
  const isTagged = place.rows !== undefined && Object.values(place.lanes).some(({ strip }) => !strip);
  if (kept.length === 0 || isTagged || Object.entries(place.lanes).some(([partition, lane]) => hasNameAbove(here, partition, lane))) return { drawn: nothing, from: wholeOf(place).width };
  const drawn: SVGTemplateResult[] = [];
  let x = wholeOf(place).width - 12;
  let left = kept.length;
  for (const [partition, view] of kept.reverse()) {
    const replica = view.replicas[id] as ReplicaView;
    const focused = focus.kind === "copy" && focus.partition === partition && focus.actor === name;
    const batches = Object.values(replica.batches).sort((one, other) => one.base_offset - other.base_offset);
    const cells = copyCells(frame, here, batches.slice(-COPY_CELLS));
    const said = say(alive ? "stage.copy_of" : "stage.on_disk", { partition });
    const width = Math.max(18, cells.width);
    const gap = focused ? 10 : 6;
    const label = textWidth(said, 12, focused);
    const rest = say(left === kept.length ? "stage.copies" : "stage.copies_more", { count: left });
    if (x - width - gap - label < from + (left > 1 ? textWidth(rest, 12) + 12 : 0)) {
      drawn.push(svg`<g><title>${listed(kept.map(([one]) => one))}</title>${fittedText(x, 19, rest, x - from + 8, 12, { classes: "q", least: 9, anchor: "end" })}</g>`);
      x -= textWidth(rest, 12);
      break;
    }
    x -= width;
    drawn.push(svg`<g transform=${`translate(${round(x)},9)`}>${cells.draw}${focused ? box(-4, -4, width + 8, 18, "ring", 4) : nothing}</g>`);
    x -= gap;
    drawn.push(text(x, 19, said, focused ? "s12 b" : "s12 q", "end"));
    x -= label + 14;
    left -= 1;
  }
  return { drawn: svg`${drawn}`, from: x };
}

function copyCells({ view }: Frame, here: Places, batches: readonly LogBatchView[]): { draw: SVGTemplateResult; width: number } {
  let x = 0;
  const drawn = batches.map((batch) => {
    const width = Math.max(5, Math.min(14, (batch.last_offset - batch.base_offset + 1) * 5));
    const cell = box(x, 0, width, 10, `${batch.control === null ? "cell small" : "flag line"} ${hueInLog(view, here, batch)}`, 1);
    x += width + 1;
    return cell;
  });
  return { draw: batches.length === 0 ? path("M0,10h18", "hair") : svg`${drawn}`, width: x };
}

/** The names of the columns, and a note with the names of partitions that stay empty in the whole run. */
export const heads: Layer = (frame, here) => {
  if (here.kind === "middleware") return [];
  if (here.upright) return phoneParts().how(here);
  const brokerBoxes = Object.values(here.brokers).map(({ box: one }) => one);
  const readerBoxes = Object.values(here.readers).flatMap((rows) => Object.values(rows).map(({ box: one }) => one));
  const clientBoxes = Object.values(here.clients).map(({ box: one }) => one);
  const [broker, reader, client] = [brokerBoxes[0], readerBoxes[0], clientBoxes[0]];
  const logs = here.kind === "log" ? say("stage.head.log") : say("stage.head.brokers");
  const empty = here.away.lanes;
  const wide = here.lens?.box.width ?? broker?.width ?? 0;
  const listed = sentences([logs, say("stage.head.empty", { partitions: empty })]);
  const counted = sentences([logs, say("stage.head.empty_many", { count: empty.length })]);
  const names = empty.length === 0 ? logs : textWidth(listed, 11) <= wide ? listed : counted;
  const y = 18;
  const lens = here.lens;
  const frameOf = lens === null ? nothing : box(lens.box.x, lens.box.y, lens.box.width, lens.box.height, "body", 8);
  return [{
    key: "heads", x: 0, y: 0, width: 0, height: 0, phase: "static", depth: DEPTH.body, label: "",
    draw: svg`${frameOf}${client === undefined ? nothing : svg`${text(client.x, y, say("stage.head.clients"), "s13 q")}${
      text(here.network.x + 24, y, say("stage.head.network"), "s13 q")}`}${
      broker === undefined ? nothing : fittedText(broker.x, y, names, wide, 13, { classes: "q", least: 9 })}${
      reader === undefined ? howToRead(frame, here) : isPossible(frame, here) ? svg`${stopsOver(frame, here)}` : text(reader.x, y, say("stage.head.readers"), "s13 q")}${legendIn(frame, here)}`,
  }];
};

/**
 * The drawing in the column of consumers, for a log case that has none: the offsets at which consumers would stop, and
 * the legend. Nothing for other pictures.
 */
function howToRead({ view }: Frame, here: Places): Drawn {
  const { fetches } = here;
  if (here.kind !== "log" || fetches === null) return nothing;
  const x = fetches.x + 24;
  const width = here.width - 24 - x;
  const stops = stopsOf(view, here);
  const below = legend(x, 18 + stops.length * SIGN.line + 28, width, signsOfLog(view));
  // If many partitions leave no room for both, the legend is left out first.
  if (stops.length === 0 || below.end > here.height - 8) return legend(x, 18, width, signsOfLog(view)).drawn;
  return svg`${text(x, 18, say("stage.head.readers"), "s13 b")}${stops.map(({ said, isName }, index) =>
    fittedText(x, 18 + 20 + index * SIGN.line, said, width, 13, { classes: isName ? "b" : "k", least: 10 }))}${below.drawn}`;
}

/**
 * Whether this is a log case whose view has no consumers. The picture then has rows of possible consumers, which no
 * file names.
 */
const isPossible = ({ view }: Frame, here: Places): boolean => here.kind === "log" && Object.keys(view.consumers ?? {}).length === 0;

/** Above the rows of possible consumers, if there is room: the offsets at which consumers stop. */
function stopsOver({ view }: Frame, here: Places): Drawn {
  const stops = stopsOf(view, here);
  const rows = Object.values(here.readers).flatMap((lane) => Object.entries(lane).filter(([name]) => name === POSSIBLE).map(([, { box: one }]) => one));
  const x = Math.min(...rows.map((row) => row.x));
  const fits = 20 + stops.length * SIGN.line + 12 < Math.min(...rows.map((row) => row.y));
  return svg`${text(x, 18, say("stage.head.readers"), fits ? "s13 b" : "s13 q")}${fits ? stops.map(({ said, isName }, index) =>
    fittedText(x, 18 + 20 + index * SIGN.line, said, here.width - 24 - x, 13, { classes: isName ? "b" : "k", least: 10 })) : nothing}`;
}

/**
 * For each partition: its name, if there are several, and the offsets up to which consumers of each isolation level
 * read.
 */
function stopsOf(view: Frame["view"], here: Places): { said: string; isName: boolean }[] {
  const names = Object.values(here.brokers).flatMap(({ lanes }) => Object.keys(lanes));
  return names.flatMap((name) => {
    const partition = view.partitions?.[name];
    const replica = partition?.replicas[shownReplica(partition) ?? ""];
    if (replica === undefined) return [];
    const isHeld = replica.last_stable_offset < replica.high_watermark;
    const ends = [say(isHeld ? "stage.log.stop_committed" : "stage.log.end_committed", { offset: replica.last_stable_offset }), say("stage.log.end_uncommitted", { offset: replica.high_watermark })];
    return [...(names.length > 1 ? [{ said: name, isName: true }] : []), ...ends.map((said) => ({ said, isName: false }))];
  });
}

/** The tool that an operator runs in this run; its box is in the corner of the network, above the controller's. */
export const tool: Layer = (frame, here) => {
  const place = here.others[TOOL];
  if (place === undefined || here.kind !== "cluster") return [];
  const focused = frame.step?.actor === TOOL;
  const { width, height } = place.box;
  const selection = plainly("actor", TOOL);
  const [command] = (frame.view.tool?.command ?? "").split(" ");
  return [{
    key: "tool", ...place.box, phase: "static", depth: DEPTH.body, hot: focused, select: selection, picked: isPicked(frame.selection, selection),
    draw: svg`${box(0, 0, width, height, "body", 8)}${focused ? box(0, 0, width, height, "ring", 8) : nothing}${
      text(12, 18, "kafka-transactions", "s13 b")}${text(12, 34, command ?? "", "s12 q")}`,
    label: "kafka-transactions.sh",
  }];
};

/** The controller, in a run in which it acts; its box is in the corner of the network. */
export const controller: Layer = (frame, here, focus) => {
  const place = here.others["controller"];
  if (place === undefined || here.kind !== "cluster") return [];
  const focused = frame.step !== null && (frame.step.actor === "controller" || frame.step.actor === "zookeeper");
  const { width, height } = place.box;
  const selection = plainly("actor", "controller");
  const lead = focus.kind === "leader" && focus.actor !== null ? here.brokers[focus.actor] : undefined;
  const [x, y] = place.port;
  return [
    {
      key: "controller", ...place.box, phase: "static", depth: DEPTH.body, hot: focused, select: selection, picked: isPicked(frame.selection, selection),
      draw: svg`${box(0, 0, width, height, "body", 8)}${focused ? box(0, 0, width, height, "ring", 8) : nothing}${
        text(12, 18, say("stage.controller"), "s13 b")}${text(12, 34, say(frame.view.quorum === undefined ? "stage.zookeeper" : "stage.quorum"), "s12 q")}`,
      label: say("stage.controller"),
    },
    ...(!focused || lead === undefined ? [] : [{
      key: "controller:wire", x: 0, y: 0, width: 0, height: 0, phase: "effect" as const, depth: DEPTH.wire, label: "",
      draw: path(`M${x},${y}C${x + 50},${y} ${lead.port[0] - 50},${lead.port[1]} ${lead.port[0] - 4},${lead.port[1]}m-9,-5.5l9,5.5l-9,5.5`, "ring"),
    }]),
  ];
};

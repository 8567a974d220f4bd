/**
 * Draws missing connections: those that a producer has lost, each with a cross; those that it is opening; and those
 * that a coordinator closes. No message can be on them, so they explain why the network is empty. Pure.
 */

import { svg } from "lit";
import { overlap, round } from "../diagrams/geometry.ts";
import type { Frame, MessageView } from "../player/frame.ts";
import { say } from "../player/text.ts";
import type { Box, Focus, Layer, Places, Point, StageObject } from "./contract.ts";
import { DEPTH } from "./depth.ts";
import { path, text, textWidth } from "./draw.ts";
import { cardOf } from "./ghosts.ts";
import { awayBox, bodiesOf, networkOf, withNote } from "./network.ts";
import type { Wire } from "./wires.ts";
import { connectionWire, pathOf, pointOn, wireOf } from "./wires.ts";

export interface Missing {
  client: string;
  broker: string;
  state: "disconnected" | "connecting";
  wire: Wire;
  /** The point on the wire at which the connection's state is marked. */
  at: Point;
  said: string;
  /** The box of the state's words on the wire; null if no place is free. */
  words: Box | null;
  /** Whether a cross marks the connection. */
  crossed: boolean;
}

/** The places for a mark, as shares of the wire's length, the preferred one first. */
const SHARES = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];
const LINE = 14;

export function missingConnections(frame: Frame, here: Places, focus: Focus): Missing[] {
  if (here.kind !== "cluster") return [];
  const network = networkOf(frame, here, focus);
  const { flights, bundles } = network;
  const card = cardOf(frame, here, focus);
  const taken: Box[] = [flights.map(withNote), bundles.map(({ box }) => box), card ?? [], awayBox(here, network) ?? [], bodiesOf(here)].flat();
  const ways = [...missingWires(frame, here), ...(focus.kind === "lost" ? [] : closedWires(frame, here))];
  const found: Missing[] = [];
  for (const { client, broker, state, wire } of ways) {
    // There are no words if the broker is down, because its box says so; and no cross if a message was lost with the
    // connection, because the message has one.
    const isQuiet = frame.view.brokers?.[broker.replace("broker-", "")]?.alive === false;
    const isCrossed = state === "disconnected" && focus.kind !== "lost" && focus.doubt === null;
    const isSaid = here.upright && found.some((one) => one.broker === broker && one.state === state && one.words !== null);
    const said = say(`stage.connection.${state}`);
    const width = textWidth(said, 12, true);
    const points = SHARES.map((share) => pointOn(wire, share));
    // The words are above the cross or, in the low network of a phone, beside it.
    const spots = [[-width / 2, -LINE - 7], ...(here.upright ? [[12, -LINE / 2], [-width - 12, -LINE / 2]] : [])].flatMap(([dx = 0, dy = 0]) => points.map((at): { at: Point; box: Box } => ({
      at, box: { x: Math.max(4, Math.min(here.width - 4 - width, at[0] + dx)), y: at[1] + dy, width, height: LINE },
    })));
    const free = spots.filter(({ box, at }) => !taken.some((one) => overlap(one, box) || overlap(one, around(at, 8))));
    // A place where two lines cross is avoided, because a cross there would seem to belong to both.
    const others = [...ways, ...flights].map((one) => one.wire).filter((other) => other !== wire);
    const spot = free.find(({ at }) => !others.some((other) => passes(other, around(at, 12)))) ?? free[0];
    if (spot !== undefined && !isQuiet) taken.push(spot.box);
    found.push({ client, broker, state, wire, at: spot?.at ?? pointOn(wire, 0.5), said, words: isQuiet || isSaid ? null : spot?.box ?? null, crossed: isCrossed && !isQuiet && spot !== undefined });
  }
  return found;
}

type MissingWire = Pick<Missing, "client" | "broker" | "state" | "wire">;

function missingWires(frame: Frame, here: Places): MissingWire[] {
  const found: MissingWire[] = [];
  for (const [client, place] of Object.entries(here.clients)) {
    const known = frame.view.clients?.[client];
    if (known?.alive !== true) continue;
    for (const [id, { state }] of Object.entries(known.connections ?? {})) {
      if (state !== "disconnected" && state !== "connecting") continue;
      const broker = `broker-${id}`;
      const led = Object.keys(place.ports).find((partition) => String(frame.view.partitions?.[partition]?.leader) === id);
      const wire = connectionWire(client, broker, led ?? "", here);
      if (wire !== null) found.push({ client, broker, state, wire });
    }
  }
  return found;
}

/**
 * The connections to leaders that close in this step, before the coordinator has received the responses to its markers.
 */
function closedWires({ step }: Frame, here: Places): MissingWire[] {
  const found = new Map<string, MissingWire>();
  for (const { params } of (step?.notes ?? []).filter(({ key }) => key === "markers.disconnected")) {
    const [client, broker] = [String(params["coordinator"]), String(params["broker"])];
    const partitions = (params["partitions"] ?? []) as string[];
    const wire = wireOf({ api: "WriteTxnMarkers", from: client, to: broker, is_response: false, partitions } as MessageView, here);
    if (wire !== null) found.set(`${client} ${broker}`, { client, broker, state: "disconnected", wire });
  }
  return [...found.values()];
}

const around = ([x, y]: Point, far: number): Box => ({ x: x - far, y: y - far, width: 2 * far, height: 2 * far });

/** The number of points of a wire at which it is checked whether it passes a box. */
const POINTS = 60;

function passes(wire: Wire, box: Box): boolean {
  return Array.from({ length: POINTS + 1 }, (_, index) => pointOn(wire, index / POINTS)).some(([x, y]) => overlap({ x, y, width: 0.1, height: 0.1 }, box));
}

export const connectionLayer: Layer = (frame, here, focus) => missingConnections(frame, here, focus).flatMap((one): StageObject[] => {
  const [x, y] = one.at.map(round) as [number, number];
  const key = `${one.client}:${one.broker}`;
  const none = { width: 0, height: 0, phase: "static" as const };
  const mark = one.crossed ? `M${x - 5},${y - 5}l10,10m0,-10l-10,10` : "";
  return [
    {
      key: `gone:${key}`, x: 0, y: 0, ...none, depth: 0, label: say(`stage.connection.${one.state}_name`, { client: one.client, broker: one.broker }),
      draw: svg`${path(pathOf(one.wire), "wire ended")}${mark === "" ? svg`` : path(mark, "mark")}`,
    },
    ...(one.words === null ? [] : [{
      key: `gone-words:${key}`, x: round(one.words.x), y: round(one.words.y), ...none, depth: DEPTH.message, label: "",
      draw: text(one.words.width / 2, LINE - 3, one.said, "s12 b gs", "middle"),
    }]),
  ];
});

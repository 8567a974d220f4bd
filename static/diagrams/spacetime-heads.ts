/** The actors with a lane in the space-time diagram, their places and headings. Pure. */

import type { Frame, Selection, Step } from "../player/frame.ts";
import { facts, listed } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { isAbsent } from "./batch.ts";
import { MARK, TEXT, round, textWidth } from "./geometry.ts";
import { INTERNAL } from "./internal-partitions.ts";
import { isPicked, plainly } from "./picked.ts";
import type { Drawn } from "./spacetime-layout.ts";
import { marginWidth } from "./spacetime-margin.ts";

/**
 * `TIMES`: the least px at the left edge for the times. `TIMES_STEP`: this width grows only by so many px at once,
 * because otherwise the lanes would move a little with each wider text.
 */
export const TIMES = 54;
const TIMES_STEP = 24;
/**
 * `TO_LANES`: px from the times to the first lane. `BESIDE_TIME`: px that stay free left and right of a time, in sum.
 */
export const TO_LANES = 28;
const BESIDE_TIME = 9;
/** y of the baseline of an actor's role, which is under its name. */
export const ROLE_Y = 40;
export const ACTORS_MOST = 7;
const ROLE_ORDER = ["application", "client", "producer", "broker", "consumer", "zookeeper", "controller"];

export interface LaneHead {
  actor: string;
  x: number;
  title: string;
  /** y of the title's baseline: if names are wider than the distance of their lanes, every second one stands higher. */
  titleY: number;
  role: string;
  picked: boolean;
  selection: Selection;
}

/** The actors that get a lane: senders and receivers of the drawn messages and the step's actors, ordered by role. */
export function actorsOf(frame: Frame, kept: readonly Drawn[]): string[] {
  const used = new Set<string>();
  for (const { arrow } of kept) {
    used.add(arrow.message.from);
    used.add(arrow.message.to);
  }
  for (const name of actorsIn(frame.step)) used.add(name);
  // Before the first step, no actor takes part yet, so the first ones of the header get lanes.
  if (used.size === 0) for (const actor of frame.header.actors.slice(0, ACTORS_MOST)) used.add(actor.name);
  return byRole(frame, used);
}

/** The actor that the step's sentence is about: the step's actor or, if this fetches, the broker that serves it. */
export function doerOf(step: Step): string {
  return step.derived?.by ?? step.actor;
}

/** The actor that the step's sentence is about, and the step's actor; empty without a step. They may be the same. */
export function actorsIn(step: Step | null): string[] {
  return step === null ? [] : [doerOf(step), step.actor];
}

/** Names of actors in the order of their roles. */
export function byRole(frame: Frame, names: Iterable<string>): string[] {
  const roles = new Map(frame.header.actors.map((actor) => [actor.name, actor.role]));
  const rank = (name: string): number => {
    const index = ROLE_ORDER.indexOf(roles.get(name) ?? "");
    return index < 0 ? ROLE_ORDER.length : index;
  };
  const order = new Map(frame.header.actors.map((actor, index) => [actor.name, index]));
  return [...names].sort((one, other) => rank(one) - rank(other) || (order.get(one) ?? 999) - (order.get(other) ?? 999));
}

/**
 * x of the first lane in px, so that the widest time has room left of it (`1 min 10 s 530 ms` is twice as wide as
 * most).
 */
export function lanesLeft(times: readonly { text: string; now: boolean }[]): number {
  const widest = Math.max(0, ...times.map(({ text, now }) => textWidth(text, MARK, now)));
  const further = Math.max(0, Math.ceil((widest + BESIDE_TIME - TO_LANES - TIMES) / TIMES_STEP));
  return TIMES + further * TIMES_STEP + TO_LANES;
}

/** The headings of lanes. `left`: x from {@link lanesLeft}; `margin`: px from {@link marginWidth}; null: no column. */
export function laneHeads(frame: Frame, actors: string[], width: number, left: number, margin: number | null = marginWidth(width, left, actors.length)): LaneHead[] {
  const right = width - (margin ?? 54);
  const spacing = actors.length > 1 ? (right - left) / (actors.length - 1) : width;
  const widths = actors.map((actor) => textWidth(actor, TEXT, true));
  const crowded = widths.some((wide, index) => index > 0 && (wide + (widths[index - 1] ?? 0)) / 2 + 4 > spacing);
  return actors.map((actor, index) => {
    const selection = plainly("actor", actor);
    const x = actors.length === 1 ? (left + right) / 2 : left + ((right - left) * index) / (actors.length - 1);
    // The role is centred on its lane, and must not reach beyond the picture or over the middle to the next lane.
    const role = roleText(frame, actor, Math.min(2 * x, 2 * (width - x), spacing) - 6);
    return { actor, x: round(x), title: actor, titleY: crowded ? (index % 2 === 0 ? 26 : 12) : 24, role,
      picked: isPicked(frame.selection, selection), selection };
  });
}

/** The longest text for the role of an actor that fits in `room` px; "" if none fits. */
function roleText(frame: Frame, actor: string, room: number): string {
  return rolesOf(frame, actor).find((one) => textWidth(one, MARK) <= room) ?? "";
}

/** Whether a broker has transactional ids in its cache as their coordinator. */
function coordinates(frame: Frame, id: string): boolean {
  return Object.keys(frame.view.brokers?.[id]?.transactions ?? {}).length > 0;
}

/** The texts for the role of an actor, the longest first. They do not depend on the step's partition. */
function rolesOf(frame: Frame, actor: string): string[] {
  const consumer = frame.view.consumers?.[actor];
  if (consumer !== undefined) return [consumer.isolation, consumer.isolation.replace(/^read_/, "")];
  const id = /^broker-(\d+)$/.exec(actor)?.[1];
  if (id === undefined) {
    const manager = frame.view.clients?.[actor]?.transaction_manager;
    if (manager == null || isAbsent(manager.producer_id)) return [];
    const [producer_id, producer_epoch] = [manager.producer_id as number, manager.producer_epoch ?? 0];
    return [say("diagram.spacetime.producer", { producer_id, producer_epoch }), `${producer_id}·${producer_epoch}`];
  }
  if (frame.view.brokers?.[id]?.alive === false) return [say("diagram.zookeeper.down")];
  const led = ledBy(frame, id);
  const coordinator = coordinates(frame, id) ? [say("diagram.spacetime.coordinator")] : [];
  if (led.length > 0) {
    const leader = [say("diagram.spacetime.leader", { partition: listed(led) }), say("diagram.spacetime.leader_brief")];
    return [...leader.map((one) => facts([one, ...coordinator])), ...coordinator];
  }
  const follows = Object.values(frame.view.partitions ?? {}).some(({ replicas }) => id in replicas);
  return coordinator.length === 0 && follows ? [say("diagram.spacetime.follower")] : coordinator;
}

/** The data partitions that a broker leads. */
function ledBy(frame: Frame, id: string): string[] {
  return Object.entries(frame.view.partitions ?? {}).filter(([name, { leader }]) => !INTERNAL.test(name) && String(leader) === id).map(([name]) => name).sort();
}

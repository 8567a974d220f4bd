/**
 * Finds the content that is shown in the place of a coordinator that is down: the last state of each transactional id
 * in its log, and the running brokers that hold the log, from which the next coordinator reads it. Pure.
 */

import { svg } from "lit";
import { round } from "../diagrams/geometry.ts";
import type { Frame } from "../player/frame.ts";
import { say } from "../player/text.ts";
import type { BrokerPlace, Places, StageObject } from "./contract.ts";
import { LOG, imageState, keyOf } from "./coordinator.ts";
import { DEPTH } from "./depth.ts";
import { box, fittedText, text, textWidth } from "./draw.ts";

/** A transactional id, with the state in its newest record in a log, and the running brokers that hold this log. */
export interface Survivor {
  id: string;
  state: string;
  log: string;
  brokers: string[];
}

/** The state of a coordinator that is down, as far as running brokers have it. */
export interface Remains {
  /** The transactional ids that no other coordinator has read from the log yet. */
  survivors: Survivor[];
  /** Whether another coordinator has read transactional ids from its log. */
  isTakenOver: boolean;
  /** Whether running brokers hold records of its log. */
  isKept: boolean;
}

export function remainsOf(frame: Frame, name: string): Remains {
  const { brokers = {}, partitions = {} } = frame.view;
  const runs = (id: string): boolean => brokers[id]?.alive === true;
  // The ids that another coordinator has read.
  const known = new Set(Object.values(brokers).filter(({ alive }) => alive).flatMap(({ transactions }) => Object.keys(transactions ?? {})));
  let isKept = false;
  const all = Object.entries(partitions).flatMap(([log, { replicas }]): Survivor[] => {
    if (!LOG.test(log) || !(name.replace(/^broker-/, "") in replicas)) return [];
    const holders = Object.entries(replicas).filter(([id]) => runs(id));
    const found = new Map<string, { state: string; at: number }>();
    for (const [, { batches }] of holders) {
      for (const batch of Object.values(batches)) {
        isKept = true;
        for (const key of batch.content?.keys ?? []) {
          const id = keyOf(key);
          const state = imageState(batch, id);
          if (state !== null && batch.base_offset >= (found.get(id)?.at ?? 0)) found.set(id, { state, at: batch.base_offset });
        }
      }
    }
    return [...found].map(([id, { state, at }]) => ({
      id, state, log, brokers: holders.filter(([, { batches }]) => String(at) in batches).map(([one]) => `broker-${one}`),
    }));
  });
  const survivors = all.filter(({ id }) => !known.has(id));
  return { survivors, isTakenOver: survivors.length < all.length, isKept };
}

function titleOf({ survivors, isTakenOver, isKept }: Remains, broker: string): string {
  if (survivors.length === 0 && isTakenOver) return say("stage.coordinator.taken_over", { broker });
  return say(isKept ? "stage.coordinator.down" : "stage.coordinator.nowhere", { broker });
}

const ROOM = 60;

export function survivingLog(frame: Frame, here: Places, name: string, place: NonNullable<BrokerPlace["coordinator"]>): StageObject[] {
  const { width, height } = place.box;
  const remains = remainsOf(frame, name);
  const { survivors } = remains;
  const [first] = survivors;
  const state = frame.view.brokers?.[name.replace(/^broker-/, "")];
  if (height < ROOM || state === undefined) return [];
  const coordinated = Object.entries(frame.view.partitions ?? {}).some(([log, { replicas }]) => LOG.test(log) && (replicas[name.replace(/^broker-/, "")]?.log_end ?? 0) > 0);
  if (first === undefined && !coordinated) return [];
  const title = titleOf(remains, name);
  const where = first === undefined ? "" : say("stage.coordinator.survives", { log: first.log, brokers: first.brokers });
  let x = 12;
  let left = survivors.length;
  const pills = survivors.flatMap(({ id, state: said }) => {
    const own = round(textWidth(id, 12) + textWidth(said, 12, true) + 28);
    if (x + own > width - (left > 1 ? 44 : 12)) return [];
    const at = x;
    x += own + 8;
    left -= 1;
    return [svg`${box(at, 22, own, 18, "pill", 9)}${text(at + 10, 35.5, id, "s12 k")}${text(at + 16 + textWidth(id, 12), 35.5, said, "s12 b")}`];
  });
  return [{
    key: `co:${name}`, ...place.box, phase: "effect", depth: DEPTH.body, label: [title, ...survivors.map(({ id, state: said }) => `${id} ${said}`), where].join(" "),
    draw: svg`${box(0, 0, width, height, here.upright || place.shared === true ? "body" : "slot", here.upright ? 8 : 6)}${
      fittedText(12, 16, title, width - 24, 13, { bold: true, classes: "b", least: 9 })}${pills}${
      left === 0 ? svg`` : text(x, 35.5, `+${left}`, "s12 k")}${fittedText(12, 54, where, width - 24, 12, { classes: "k", least: 8 })}`,
  }];
}

/**
 * A side column shows every panel in the height it has. Panels that the step is not about fold to their headings,
 * which state their facts, from below, until the rest fits. What the reader opened stays open until Escape.
 * Which ones is decided here, without a page; `column-folds.ts` carries it out.
 */

import { INTERNAL } from "../diagrams/internal-partitions.ts";
import type { Frame } from "./frame.ts";

export const defaults = {
  /** px: a panel that would save less than this is not worth folding. */
  saves: 12,
};

/** Which panel shows which part of the view: the beginning of a change's path, `*` for any name. */
const SHOWN: readonly { path: readonly string[]; tag: string }[] = [
  { path: ["records"], tag: "eos-ledger" },
  { path: ["consumers"], tag: "eos-consumers" },
  { path: ["counters"], tag: "eos-numbers" },
  { path: ["zookeeper"], tag: "eos-zookeeper" },
  { path: ["brokers", "*", "producer_id_block"], tag: "eos-zookeeper" },
  { path: ["partitions", "*", "replicas", "*", "producers"], tag: "eos-producer-table" },
  { path: ["partitions", "*", "replicas", "*", "aborted_index"], tag: "eos-aborted-index" },
  { path: ["brokers", "*", "transactions"], tag: "eos-coordinator" },
  { path: ["brokers", "*", "coordinator"], tag: "eos-coordinator" },
  { path: ["brokers", "*", "markers"], tag: "eos-marker-board" },
  { path: ["brokers", "*", "groups"], tag: "eos-groups" },
  { path: ["middleware"], tag: "eos-middleware-roles" },
  { path: ["middleware", "transactions"], tag: "eos-middleware-votes" },
  { path: ["middleware", "participants", "*", "log"], tag: "eos-compensation-log" },
  { path: ["clients", "*", "queues"], tag: "eos-accumulator" },
  { path: ["clients", "*", "pool"], tag: "eos-accumulator" },
  { path: ["clients", "*", "requests"], tag: "eos-in-flight" },
  { path: ["clients", "*", "connections"], tag: "eos-in-flight" },
  { path: ["clients", "*", "transaction_manager"], tag: "eos-client-machine" },
  { path: ["clients", "*", "timers"], tag: "eos-timers" },
  { path: ["brokers", "*", "transactions", "*", "times_out_at"], tag: "eos-timers" },
  { path: ["middleware", "transactions", "*", "timer"], tag: "eos-timers" },
];

/** The panels that show what the step decided or changed. */
export function panelsOf(frame: Frame | undefined): Set<string> {
  const tags = new Set<string>();
  const step = frame?.step;
  if (step == null) return tags;
  if (step.decision !== null) tags.add("eos-decision").add("eos-producer-table");
  if (step.refusal !== null) tags.add("eos-decision");
  for (const change of step.changes) {
    if (writesInternalLog(frame, change.path)) tags.add("eos-internal-log");
    for (const { path, tag } of SHOWN) {
      if (path.every((name, index) => name === "*" || change.path[index] === name)) tags.add(tag);
    }
  }
  return tags;
}

/** Followers copy all the time; what counts is what the leader has, and how far it is replicated. */
function writesInternalLog(frame: Frame | undefined, [root, name = "", , replica, part = ""]: readonly string[]): boolean {
  if (root !== "partitions" || !INTERNAL.test(name) || !["batches", "high_watermark"].includes(part)) return false;
  const leader = frame?.view.partitions?.[name]?.leader;
  return leader != null && String(leader) === replica;
}

export interface Fitted {
  tag: string;
  /** px, open and folded, with the margin under it. */
  open: number;
  folded: number;
  about: boolean;
  kept: boolean;
}

/**
 * The panels to fold so that all of them fit into `room` px, in the order of folding: first those that the step is
 * not about, from below. One that has room after all, because a later one made enough, stays open.
 */
export function toFold(panels: readonly Fitted[], room: number): string[] {
  let height = panels.reduce((sum, panel) => sum + panel.open, 0);
  const saves = (panel: Fitted): number => panel.open - panel.folded;
  const fromBelow = [...panels].reverse().filter((panel) => !panel.kept && saves(panel) >= defaults.saves);
  const chosen: Fitted[] = [];
  for (const panel of [...fromBelow.filter((one) => !one.about), ...fromBelow.filter((one) => one.about)]) {
    if (height <= room) break;
    chosen.push(panel);
    height -= saves(panel);
  }
  const kept = new Set<Fitted>();
  for (const panel of [...chosen].reverse()) {
    if (height + saves(panel) > room) continue;
    kept.add(panel);
    height += saves(panel);
  }
  return chosen.filter((panel) => !kept.has(panel)).map((panel) => panel.tag);
}

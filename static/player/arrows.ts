/**
 * Collects the arrows of the space-time diagram, one for every message of the loaded steps, and the turning points that
 * have no arrow.
 *
 * `add` takes one step after the other, in ascending order. The fate of a message may be decided only after the step on
 * show, so the diagram compares the arrow's `settledStep` with the frame's step.
 */

import type { Arrow, Mark, MessageView, Step } from "./frame.ts";
import type { Lines } from "./lines.ts";
import { defaults as held } from "./lines.ts";
import { WINDOW_SIZE } from "./windows.ts";

/** Arrows are collected from so many steps before the step on show. */
const REACH = held.windows * WINDOW_SIZE;
const SETTLING = new Set(["delivered", "dropped", "lost"]);

export class ArrowLog {
  readonly arrows: Arrow[] = [];
  readonly marks: Mark[] = [];
  /** Id of a delayed message → when it was due before, in virtual ms. */
  readonly delayed = new Map<number, number>();
  #open = new Map<number, Arrow>();
  /** The number of the last step added. */
  upTo: number;

  constructor(after: number) {
    this.upTo = after;
  }

  add(step: Step): void {
    this.upTo = step.number;
    if (isTurningPoint(step)) {
      const { number, at, actor, key, params, rules } = step;
      this.marks.push({ step: number, at, actor, key, params, rules });
    }
    if (step.messages.length === 0) return;
    const added = addedMessages(step);
    for (const { id, event } of step.messages) {
      if (event === "sent") this.#sent(id, added.get(id), step);
      else this.#happened(id, event, step);
    }
  }

  #sent(id: number, message: MessageView | undefined, step: Step): void {
    if (message === undefined) return;
    const arrow: Arrow = {
      id,
      message,
      sentStep: step.number,
      sentAt: step.at,
      settledStep: null,
      settledAt: null,
      fate: "under_way",
      delayed: false,
      duplicated: false,
      stored: {},
      equals: {},
    };
    this.arrows.push(arrow);
    this.#open.set(id, arrow);
  }

  #happened(id: number, event: string, step: Step): void {
    const arrow = this.#open.get(id);
    if (arrow === undefined) return; // The message was sent before the first loaded step.
    if (event === "delayed") {
      arrow.delayed = true;
      this.delayed.set(id, arrow.message.arrives_at ?? arrow.sentAt);
    }
    if (event === "duplicated") arrow.duplicated = true;
    if (!SETTLING.has(event)) return;
    // If the connection broke, the stage and the sentence call the message lost, too, and not dropped.
    arrow.fate = event === "dropped" && breaksConnection(step) ? "lost" : (event as Arrow["fate"]);
    arrow.settledStep = step.number;
    arrow.settledAt = step.at;
    if (event === "delivered" && !arrow.message.is_response) Object.assign(arrow, takenBy(arrow.message, step));
    this.#open.delete(id);
  }
}

function breaksConnection(step: Step): boolean {
  return step.changes.some(({ path, after }) => path[2] === "connections" && path[4] === "state" && after === "disconnected");
}

/** What a step did with the batches of a request that arrived at broker `to`: where it stored or recognised them. */
function takenBy({ to }: MessageView, { derived }: Step): Pick<Arrow, "stored" | "equals"> {
  const there = (derived?.arrivals ?? []).filter(({ broker, at }) => `broker-${broker}` === to && at !== null);
  const offsets = (isEqual: boolean): Record<string, number> =>
    Object.fromEntries(there.filter(({ fate }) => (fate === "duplicate") === isEqual).map(({ partition, at }) => [partition, at as number]));
  return { stored: offsets(false), equals: offsets(true) };
}

/** Whether a step is a fault, or a timer that ran out on a batch. The actions of messages are shown by their arrows. */
function isTurningPoint(step: Step): boolean {
  if (step.kind === "fault") return true;
  if (step.kind !== "timer") return false;
  return step.changes.some(({ path }) => path.length === 5 && path[0] === "clients" && path[2] === "batches" && path[4] === "state");
}

function addedMessages(step: Step): Map<number, MessageView> {
  const added = new Map<number, MessageView>();
  for (const change of step.changes) {
    const isMessage = change.path.length === 3 && change.path[0] === "network" && change.path[1] === "messages";
    if (isMessage && change.after !== undefined) added.set(Number(change.path[2]), change.after as unknown as MessageView);
  }
  return added;
}

/** Keeps the arrows of the branch on show, and collects them again if they no longer reach the step on show. */
export class ArrowReach {
  readonly #lines: Lines;
  #kept: { branch: string; from: number; log: ArrowLog } | null = null;

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  at(branch: string, shown: number): ArrowLog {
    if (!this.#reaches(branch, shown)) this.#kept = this.#beginning(branch, shown);
    const { log } = this.#kept as { log: ArrowLog };
    const newest = this.#lines.newest(branch);
    for (let step = this.#next(branch, log); step !== undefined && step.number <= newest; step = this.#next(branch, log)) log.add(step);
    return log;
  }

  #next(branch: string, log: ArrowLog): Step | undefined {
    return this.#lines.step(branch, log.upTo + 1);
  }

  #reaches(branch: string, shown: number): boolean {
    const kept = this.#kept;
    if (kept === null || kept.branch !== branch || shown < kept.from || shown - kept.from > REACH) return false;
    // Earlier steps may have arrived since the arrows were collected.
    const grew = kept.from > 0 && shown - kept.from < REACH / 2 && this.#lines.step(branch, kept.from) !== undefined;
    return !grew && shown <= kept.log.upTo + WINDOW_SIZE;
  }

  #beginning(branch: string, shown: number): { branch: string; from: number; log: ArrowLog } {
    let from = shown;
    while (from > 0 && shown - from < REACH / 2 && this.#lines.step(branch, from) !== undefined) from -= 1;
    return { branch, from, log: new ArrowLog(from) };
  }
}

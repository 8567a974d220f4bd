/**
 * The arrows of the space-time diagram: every message of the loaded steps with its fate.
 *
 * Beside them the turning points that no arrow tells. Built step by step; `add` must see steps in ascending order. An arrow may be settled after the step on show:
 * the diagram compares its step numbers with the frame's.
 */

import type { Arrow, Mark, MessageView, Step } from "./frame.ts";

const SETTLING = new Set(["delivered", "dropped", "lost"]);

export class ArrowLog {
  readonly arrows: Arrow[] = [];
  readonly marks: Mark[] = [];
  #open = new Map<number, Arrow>();
  /** The last step added. */
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
    };
    this.arrows.push(arrow);
    this.#open.set(id, arrow);
  }

  #happened(id: number, event: string, step: Step): void {
    const arrow = this.#open.get(id);
    if (arrow === undefined) return; // Sent before the first loaded step.
    if (event === "delayed") arrow.delayed = true;
    if (event === "duplicated") arrow.duplicated = true;
    if (!SETTLING.has(event)) return;
    arrow.fate = event as Arrow["fate"];
    arrow.settledStep = step.number;
    arrow.settledAt = step.at;
    this.#open.delete(id);
  }
}

/** A fault, or a timer that ran out on a batch. What messages do is told by their arrows. */
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

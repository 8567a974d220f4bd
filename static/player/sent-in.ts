/** Finds a message for the reader to break: one that is in transit at a step. Pure, no DOM. */

import type { ShownLoss } from "../generated/messages.ts";
import type { MessageView, Step } from "./frame.ts";
import type { Lines } from "./lines.ts";

export interface Sent {
  step: number;
  id: number;
  /** Null if the step does not contain the message. */
  message: MessageView | null;
}

type Kind = Pick<ShownLoss, "api" | "is_response">;

/** Whether the picture has a place for a message. */
export type HasPlace = (message: MessageView) => boolean;
const anywhere: HasPlace = () => true;

/**
 * The message that arrives in this step, and the step before it, at which it is still in transit; null if no message
 * with a place arrives.
 */
export function arriving(lines: Pick<Lines, "step">, branch: string, at: number, hasPlace = anywhere): Sent | null {
  const content = at > 1 ? lines.step(branch, at) : undefined;
  const id = content?.messages.find(({ event }) => event === "delivered")?.id;
  if (content === undefined || id === undefined) return null;
  const message = (content.changes.find(({ path }) => isMessage(path, id))?.before ?? null) as MessageView | null;
  return message !== null && !hasPlace(message) ? null : { step: at - 1, id, message };
}

/** The most steps that are searched for the sending of a message. */
const LOOKS_BACK = 200;

/** A message whose loss has a visible effect is preferred if it was sent at most so many steps before the last one. */
const NEAR = 12;

/**
 * The last message that was sent at this step or before it: one whose loss has a visible effect, if it is near, else
 * any; null if none with a place was sent. `losses`: the messages whose loss has a visible effect, as the engine
 * names them, one of each kind.
 */
export function lastSent(lines: Pick<Lines, "step">, branch: string, at: number, losses: readonly Kind[], hasPlace = anywhere): Sent | null {
  let other: Sent | null = null;
  for (let step = at; step > Math.max(0, at - LOOKS_BACK); step--) {
    const content = lines.step(branch, step);
    for (const { event, id } of content?.messages ?? []) {
      if (content === undefined || event !== "sent") continue;
      const message = messageOf(content, id);
      if (message !== null && !hasPlace(message)) continue;
      const sent = { step, id, message };
      if (other !== null && other.step - step > NEAR) return other;
      if (losses.some(({ api, is_response: isResponse }) => api === message?.api && isResponse === (message.is_response ?? false))) return sent;
      other ??= sent;
    }
  }
  return other;
}

/** The step at which this message was sent, after `from` and up to `to`; null if it was sent elsewhere. */
export function sentAt(lines: Pick<Lines, "step">, branch: string, id: number, from: number, to: number): number | null {
  for (let step = to; step > Math.max(from, to - LOOKS_BACK); step--) {
    if (lines.step(branch, step)?.messages.some((one) => one.event === "sent" && one.id === id) === true) return step;
  }
  return null;
}

function isMessage(path: readonly string[], id: number): boolean {
  return path[0] === "network" && path[1] === "messages" && path[2] === String(id);
}

/** The message as the step sent it; null if the step does not contain it. */
function messageOf({ changes }: Pick<Step, "changes">, id: number): MessageView | null {
  const came = changes.find(({ path }) => isMessage(path, id))?.after;
  return came !== null && typeof came === "object" && "api" in came ? (came as unknown as MessageView) : null;
}

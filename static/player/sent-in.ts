/** Finds a message in transit at a step, for example to suggest that the reader drops it. Pure, no DOM. */

import type { ShownLoss } from "../generated/messages.ts";
import type { MessageView, Step } from "./frame.ts";
import type { Lines } from "./lines.ts";

export interface Sent {
  step: number;
  id: number;
  /** The message as it was sent; null if its step has no change with it. */
  message: MessageView | null;
}

type Kind = Pick<ShownLoss, "api" | "is_response">;

/** Whether the picture has a place for a message. */
export type HasPlace = (message: MessageView) => boolean;
const anywhere: HasPlace = () => true;

/**
 * The message that arrives in step `at`, with the number of the step before, at which it is still in transit. Null if
 * no message arrives, or the picture has no place for it.
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

/** `lastSent` prefers a message in `losses` if it was sent at most so many steps before the last message. */
const NEAR = 12;

/**
 * The last message that was sent in step `at` or before: one of a kind in `losses` if it is near, else any. `losses`:
 * the kinds of messages whose loss has a visible effect, according to the engine. Null if no message was sent for which
 * the picture has a place.
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

/**
 * The step at which this message was sent, after `from` and up to `to`; null if it was sent elsewhere, or more than
 * `LOOKS_BACK` steps before `to`.
 */
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

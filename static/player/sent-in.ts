/** A message to break in a run: one that is on its way where a reader is set down. Pure, no DOM. */

import type { ShownLoss } from "../generated/messages.ts";
import type { MessageView, Step } from "./frame.ts";
import type { Lines } from "./lines.ts";

export interface Sent {
  step: number;
  id: number;
  /** Null where the step does not say. */
  message: MessageView | null;
}

type Kind = Pick<ShownLoss, "api" | "is_response">;

/** Whether the picture has a place for a message. */
export type HasPlace = (message: MessageView) => boolean;
const anywhere: HasPlace = () => true;

/** The message that arrives in this step, where it is still on its way: one step before; null where none does that has a place. */
export function arriving(lines: Pick<Lines, "step">, branch: string, at: number, hasPlace = anywhere): Sent | null {
  const content = at > 1 ? lines.step(branch, at) : undefined;
  const id = content?.messages.find(({ event }) => event === "delivered")?.id;
  if (content === undefined || id === undefined) return null;
  const message = (content.changes.find(({ path }) => isMessage(path, id))?.before ?? null) as MessageView | null;
  return message !== null && !hasPlace(message) ? null : { step: at - 1, id, message };
}

/** Steps that are looked through for a message that left. */
const LOOKS_BACK = 200;

/** A message whose loss shows something is preferred if it left at most so many steps before the last one. */
const NEAR = 12;

/**
 * The last message that left at this step or before it: one whose loss shows something, if it is near, else any; null where
 * none left that has a place. `losses`: the messages whose loss shows something, as the engine names them, one of each kind.
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

/** The step at which this message left, after `from` and up to `to`; null where it left elsewhere. */
export function sentAt(lines: Pick<Lines, "step">, branch: string, id: number, from: number, to: number): number | null {
  for (let step = to; step > Math.max(from, to - LOOKS_BACK); step--) {
    if (lines.step(branch, step)?.messages.some((one) => one.event === "sent" && one.id === id) === true) return step;
  }
  return null;
}

function isMessage(path: readonly string[], id: number): boolean {
  return path[0] === "network" && path[1] === "messages" && path[2] === String(id);
}

/** The message as the step sent it; null where the step does not say. */
function messageOf({ changes }: Pick<Step, "changes">, id: number): MessageView | null {
  const came = changes.find(({ path }) => isMessage(path, id))?.after;
  return came !== null && typeof came === "object" && "api" in came ? (came as unknown as MessageView) : null;
}

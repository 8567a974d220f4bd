/** Finds the request that a client sends again because a message was lost, and matches responses to requests. Pure. */

import type { Arrow } from "../player/frame.ts";
import { batchKey } from "./message-words.ts";

/**
 * Each message that was lost up to step `upTo` → the request that its sender sent again because of this loss. A message
 * without such a request is missing. A picture that shows a loss shows its request, too, as the consequence.
 */
export function sentAgain(arrows: readonly Arrow[], upTo = Number.POSITIVE_INFINITY): Map<Arrow, Arrow> {
  return new Map(arrows.flatMap((lost): [Arrow, Arrow][] => {
    const { settledStep } = lost;
    if (settledStep === null || settledStep > upTo || lost.fate === "delivered") return [];
    const request = lost.message.is_response ? arrows.find((one) => isAnsweredBy(one.message, lost.message)) : lost;
    const again = arrows.find((one) => one.sentStep > settledStep && request !== undefined && isSameRequest(one.message, request.message));
    return again === undefined ? [] : [[lost, again]];
  }));
}

/** Whether a message ended without arriving. */
export function isLost({ fate }: Pick<Arrow, "fate">): boolean {
  return fate === "dropped" || fate === "lost";
}

export function isAnsweredBy(request: Arrow["message"], { from, to, api, correlation_id, is_response }: Arrow["message"]): boolean {
  return is_response && !request.is_response && request.api === api && request.from === to && request.to === from && request.correlation_id === correlation_id;
}

/** Whether two requests have the same API, sender, partitions and first batch; the receivers may differ. */
function isSameRequest(one: Arrow["message"], other: Arrow["message"]): boolean {
  return !one.is_response && one.api === other.api && one.from === other.from && String(one.partitions) === String(other.partitions) && batchKey(one) === batchKey(other);
}

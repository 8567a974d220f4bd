/** The batches of a client outside its queues. Pure, no DOM. */

import type { ClientView } from "../player/frame.ts";

/**
 * The ids of a client's batches that are drained but not yet in a request. The Sender already counts them as in flight.
 */
export function drainedOf(client: ClientView): string[] {
  const sent = new Set(Object.values(client.requests).flatMap((request) => request.batches));
  return Object.keys(client.batches).filter((id) => client.batches[id]?.state === "IN_FLIGHT" && !sent.has(id));
}

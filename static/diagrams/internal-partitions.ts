/**
 * Recognises partitions of internal topics by their names, and marker boards without content. Pure; the player uses it,
 * too.
 */

import type { MarkerBoardView } from "../generated/messages.ts";

export const INTERNAL = /^__(transaction_state|consumer_offsets)-/;

/** Whether a marker board has content. */
export function hasMarkers(board: MarkerBoardView | undefined): boolean {
  if (board === undefined) return false;
  const lists = [...Object.values(board.queues ?? {}), ...Object.values(board.in_flight ?? {}), board.unknown_broker ?? []];
  return board.stopped === true || Object.keys(board.waiting ?? {}).length > 0 || lists.some((list) => list.length > 0);
}

/** Chooses the middleware's transaction that panels show. Pure. */

import type { Frame } from "../player/frame.ts";
import { hasChanged } from "./changes.ts";

/** Ids of the transactions that the view knows, newest first. */
export function transactionIds(frame: Frame): string[] {
  const middleware = frame.view.middleware;
  const ids = new Set([...Object.keys(middleware?.transactions ?? {}), ...Object.keys(middleware?.business?.transactions ?? {})]);
  return [...ids].sort((one, other) => Number(other) - Number(one));
}

/**
 * The id of the transaction that the step's transition is about, else of one that it changed, else of the newest; null:
 * none.
 */
export function shownTransaction(frame: Frame): string | null {
  const of = frame.step?.transition?.of.split(" ")[1];
  const ids = transactionIds(frame);
  const changed = ids.find((id) => hasChanged(frame, "middleware", "transactions", id));
  return of !== undefined && ids.includes(of) ? of : (changed ?? ids[0] ?? null);
}

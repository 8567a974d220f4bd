/**
 * Interventions offered as a single press, on the thing or at the bottom of a phone; the others are in the list of its
 * actions. Pure.
 */

import type { Action } from "./source.ts";

/** The action that the key `d` carries out. */
export const DROP = "drop_message";
const OFFERED = [DROP, "delay_message", "duplicate_message", "crash", "restart", "pause", "resume"];

/** In this order, those that are possible now. */
export function offeredOf(actions: readonly Action[]): Action[] {
  return OFFERED.flatMap((name) => actions.find((one) => one.action === name && one.enabled) ?? []);
}

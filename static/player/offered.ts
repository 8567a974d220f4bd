/**
 * Chooses the interventions that have a button of their own, beside the thing or at the bottom of a phone. The list of
 * a thing's actions has the others, too. Pure.
 */

import type { Action } from "./source.ts";

/** The action that the key `d` carries out. */
export const DROP = "drop_message";
const OFFERED = [DROP, "delay_message", "duplicate_message", "crash", "restart", "pause", "resume"];

/** The offered actions that are possible now, in the order of OFFERED. */
export function offeredOf(actions: readonly Action[]): Action[] {
  return OFFERED.flatMap((name) => actions.find((one) => one.action === name && one.enabled) ?? []);
}

/** Finds the steps that are about a selected thing, and the end of a selected timer. Pure, no DOM. */

import type { Condition, SubjectKind } from "./conditions.ts";
import { SUBJECTS } from "./conditions.ts";
import type { Selection, View } from "./frame.ts";
import { timersOf } from "./timers.ts";

/** The condition that finds the steps about the selected thing; null if conditions cannot name things of its kind. */
export function aboutIt(selection: Selection): Condition | null {
  if (SUBJECTS.includes(selection.kind as SubjectKind)) return { on: "subject", kind: selection.kind as SubjectKind, id: selection.id };
  return null;
}

/** When the selected timer ends, in virtual ms; null for anything else. */
export function endOf(selection: Selection, view: View | null): number | null {
  if (selection.kind !== "timer") return null;
  const running = view === null ? [] : timersOf(view);
  return running.find(({ actor, name }) => `${actor}/${name}` === selection.id)?.timer.until ?? null;
}

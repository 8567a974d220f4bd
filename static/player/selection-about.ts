/** What a selected thing is for steps and timers. Pure, no DOM. */

import type { Condition, SubjectKind } from "./conditions.ts";
import { SUBJECTS } from "./conditions.ts";
import type { Selection, View } from "./frame.ts";

/** The condition that a step is about this thing; null for what steps do not name. */
export function aboutIt(selection: Selection): Condition | null {
  if (SUBJECTS.includes(selection.kind as SubjectKind)) return { on: "subject", kind: selection.kind as SubjectKind, id: selection.id };
  return null;
}

/** When a timer of the view ends; null for anything else. */
export function endOf(selection: Selection, view: View | null): number | null {
  if (selection.kind !== "timer") return null;
  const cut = selection.id.indexOf("/");
  return view?.clients?.[selection.id.slice(0, cut)]?.timers[selection.id.slice(cut + 1)]?.until ?? null;
}

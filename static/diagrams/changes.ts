/** The changes of a step, with the values before and after, from the two views of a frame. Pure. */

import type { Change, Frame, Json, View } from "../player/frame.ts";
import { pathKey } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { stateWord } from "../stage/state-word.ts";

export function hasChanged(frame: Frame, ...path: string[]): boolean {
  return frame.changed.has(pathKey(path));
}

/**
 * All changes of the step if one of them is at or below `path`; else none. So a panel that calls this is drawn again
 * only after steps that change something there (reading.ts).
 */
export function changesAt(frame: Frame, ...path: string[]): readonly Change[] {
  return hasChanged(frame, ...path) ? (frame.step?.changes ?? []) : [];
}

function valueAt(view: View | null, path: readonly string[]): Json | undefined {
  let node: Json | undefined = view as unknown as Json;
  for (const key of path) {
    if (typeof node !== "object" || node === null || Array.isArray(node)) return undefined;
    node = node[key];
  }
  return node;
}

/** The value before the step if the step changed it; undefined otherwise, or if it did not exist. */
export function before(frame: Frame, ...path: string[]): Json | undefined {
  return hasChanged(frame, ...path) ? valueAt(frame.previousView, path) : undefined;
}

/**
 * The text `was 10` with the value before the step; null if the step did not change it, or it was an object or list.
 */
export function was(frame: Frame, ...path: string[]): string | null {
  if (!hasChanged(frame, ...path)) return null;
  const value = before(frame, ...path);
  if (value === undefined || value === null) return say("diagram.was_none");
  return typeof value === "object" ? null : say("diagram.was", { value });
}

/** As `was`, for the value of a state, which is named in words. */
export function stateWas(frame: Frame, ...path: string[]): string | null {
  const value = hasChanged(frame, ...path) ? before(frame, ...path) : null;
  return typeof value === "string" ? say("diagram.was", { value: stateWord(value) }) : was(frame, ...path);
}

/** Whether this step added the object at `path`. */
export function isNew(frame: Frame, ...path: string[]): boolean {
  return hasChanged(frame, ...path) && valueAt(frame.previousView, path) === undefined;
}

/**
 * Folds steps into views, forward and backward (docs/frame.md: `after` in order, `before` in reverse order).
 *
 * A finished view is never mutated, and shares all unchanged parts with its neighbours, so keeping every view that was
 * shown costs little. Over many steps, a new copy of a large table for each change would be slow. A `Walk` therefore
 * copies an object only the first time that it changes it, and then changes its own copy until `freeze`.
 */

import type { Change, Json, JsonObject, Step, View } from "./frame.ts";
import { isUnlisted } from "./folded.ts";
import type { NetChange } from "./source.ts";
import { pathKey } from "./frame.ts";

/** Applies the changes of steps to a view, forward or backward, from one step to another. */
export class Walk {
  #root: JsonObject;
  /**
   * Whether a change was about something that the view leaves out (`folded`), so that the result is not a true view.
   */
  isLost = false;
  #own = new Set<JsonObject>();

  constructor(from: View) {
    this.#root = from as unknown as JsonObject;
  }

  /** The view after the changes so far. The walk may go on; it will not mutate the returned view. */
  freeze(): View {
    this.#own.clear();
    return this.#root as unknown as View;
  }

  forward(step: Step): void {
    this.along(step.changes);
    this.along(step.derived?.changes ?? []);
  }

  /** Applies the changes of a `Difference`, which lead from one view to another, in their order. */
  along(changes: readonly NetChange[]): void {
    for (const change of changes) this.#apply(change.path, "after" in change, change.after);
  }

  backward(step: Step): void {
    this.#back(step.derived?.changes ?? []);
    this.#back(step.changes);
  }

  #back(changes: readonly Change[]): void {
    for (let index = changes.length - 1; index >= 0; index -= 1) {
      const change = changes[index] as Change;
      this.#apply(change.path, "before" in change, change.before);
    }
  }

  #apply(path: string[], exists: boolean, value: Json | undefined): void {
    if (path.length === 0) throw new Error("A change without a path");
    if (isUnlisted(this.#root as unknown as View, path, exists ? value : undefined)) {
      this.isLost = true;
      return;
    }
    this.#root = this.#mine(this.#root);
    let parent = this.#root;
    for (let depth = 0; depth < path.length - 1; depth += 1) {
      const name = path[depth] as string;
      const child = parent[name];
      const isObject = typeof child === "object" && child !== null && !Array.isArray(child);
      if (!isObject && !exists) return; // The change removes something that is already gone with its parent.
      const own = isObject ? this.#mine(child) : this.#made();
      parent[name] = own;
      parent = own;
    }
    const last = path[path.length - 1] as string;
    if (exists) parent[last] = value as Json;
    else delete parent[last];
  }

  /**
   * The object itself if this walk made it, else a copy that the walk may write to. This also protects objects that
   * came from a step's changes.
   */
  #mine(object: JsonObject): JsonObject {
    if (this.#own.has(object)) return object;
    const copy = { ...object };
    this.#own.add(copy);
    return copy;
  }

  #made(): JsonObject {
    const object: JsonObject = {};
    this.#own.add(object);
    return object;
  }
}

/** Keys of every path the step changed and of every path above it. */
export function changedPaths(step: Step | null): Set<string> {
  const keys = new Set<string>();
  for (const change of [...(step?.changes ?? []), ...(step?.derived?.changes ?? [])]) {
    for (let depth = change.path.length; depth > 0; depth -= 1) keys.add(pathKey(change.path.slice(0, depth)));
  }
  return keys;
}

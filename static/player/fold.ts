/**
 * Folds steps into views, forward and backward (docs/frame.md: `after` in order, `before` in reverse order).
 *
 * Views are immutable from outside and share all unchanged parts, so keeping every view that was shown costs little.
 * Inside one walk over many steps, this would copy a large table once per change; a walk therefore copies each object
 * the first time it changes it, and goes on in its own copy until the walk is frozen.
 */

import type { Change, Json, JsonObject, Step, View } from "./frame.ts";
import { isUnlisted } from "./folded.ts";
import type { NetChange } from "./source.ts";
import { pathKey } from "./frame.ts";

/** A view on its way from one step to another. */
export class Walk {
  #root: JsonObject;
  /** Whether something changed that the view does not list: the view then no longer says how many there are. */
  isLost = false;
  #own = new Set<JsonObject>();

  constructor(from: View) {
    this.#root = from as unknown as JsonObject;
  }

  /** The view reached so far. The walk may go on afterwards; this view will not change. */
  freeze(): View {
    this.#own.clear();
    return this.#root as unknown as View;
  }

  forward(step: Step): void {
    this.along(step.changes);
    this.along(step.derived?.changes ?? []);
  }

  /** Applies the changes of a way, in the order and direction of the way. */
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
   * A copy of `object` that this walk may write to. Values taken over from a step are copied here, too, before they are
   * written to.
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

/**
 * Changes the view with the zoom level: the level of checks opens the code, the level of transactions opens the list of
 * transactions, and the level of steps brings back the view that was on show before.
 */

import type { Spacing } from "../diagrams/spacetime-rows.ts";
import type { Middle } from "./panels.ts";
import { isMiddle } from "./panels.ts";
import type { Level, Zoom } from "./zoom.ts";
import { zoomText } from "./zoom.ts";

const NEEDS: Record<Level, Middle | null> = { transaction: "transactions", message: null, decision: "code" };

/** The view in the middle of the page, with the spacing of the space-time diagram, as one word for addresses. */
export type View = Middle | "spacetime:time";

export function viewOf(middle: Middle, spacing: Spacing): View {
  return middle === "spacetime" && spacing === "time" ? "spacetime:time" : middle;
}

/** The view and spacing in such a word; null if it names no view. */
export function readView(word: string): { middle: Middle; spacing: Spacing } | null {
  if (word === "spacetime:time") return { middle: "spacetime", spacing: "time" };
  return isMiddle(word) ? { middle: word, spacing: "step" } : null;
}

/** The part of the page that has the view in the middle, and that can change it. */
export interface Stage {
  readonly middle: Middle;
  show(middle: Middle): void;
}

export class ZoomView {
  readonly #stage: Stage;
  #level: Level = "message";
  #before: Middle | null = null;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** The page calls this when the zoom level has changed; shows the view that belongs to the level. */
  follow(level: Level): void {
    if (level === this.#level) return;
    this.#level = level;
    const needed = NEEDS[level];
    if (needed !== null) {
      this.#before ??= this.#stage.middle;
      this.#stage.show(needed);
    } else if (this.#before !== null) {
      this.#stage.show(this.#before);
      this.#before = null;
    }
  }
}

/**
 * Zoom and view as fields of the address. Each is "" if it is the usual one: the level of steps, and the view `opens`
 * on which the run opens.
 */
export function addressOf(zoom: Zoom, view: View, opens: Middle): Record<string, string> {
  return { zoom: zoomText(zoom), view: view === opens ? "" : view };
}

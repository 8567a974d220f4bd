/**
 * The view that the page shows at each zoom level: a nearer one opens the code, a farther one the transactions, and
 * going back to steps brings back the view from before.
 */

import type { Spacing } from "../diagrams/spacetime-rows.ts";
import type { Middle } from "./panels.ts";
import { isMiddle } from "./panels.ts";
import type { Level, Zoom } from "./zoom.ts";
import { zoomText } from "./zoom.ts";

const NEEDS: Record<Level, Middle | null> = { transaction: "transactions", message: null, decision: "code" };

/** The view in the middle with its spacing, in one word, as addresses and presentations use it. */
export type View = Middle | "spacetime:time";

export function viewOf(middle: Middle, spacing: Spacing): View {
  return middle === "spacetime" && spacing === "time" ? "spacetime:time" : middle;
}

/** The view and spacing that a word names; null if it names none. */
export function readView(word: string): { middle: Middle; spacing: Spacing } | null {
  if (word === "spacetime:time") return { middle: "spacetime", spacing: "time" };
  return isMiddle(word) ? { middle: word, spacing: "step" } : null;
}

/** The view in the middle of the page, to read and to change. */
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

  /** To be called when the reader has changed the zoom level. */
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
 * Zoom and view as fields of the address; the level of steps and the view on which the run opens are left out there.
 */
export function addressOf(zoom: Zoom, view: View, opens: Middle): Record<string, string> {
  return { zoom: zoomText(zoom), view: view === opens ? "" : view };
}

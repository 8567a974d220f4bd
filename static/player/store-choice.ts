/** What a store gets from its page: time, paints and where to open. Tests supply their own. */

import type { Lines } from "./lines.ts";

export interface StartAt {
  branch: string | null;
  step: number | null;
}

export interface Choice {
  reducedMotion: () => boolean;
  /**
   * Calls `draw` when the running task ends, if `atOnce` and nothing was drawn since the last paint; else before the
   * next paint.
   */
  schedule: (draw: () => void, atOnce?: boolean) => void;
  /** Calls `draw` before the next paint, for which nothing else is drawn. */
  alone: (draw: () => void) => void;
  /** Keeps all drawing out of the next paint. */
  pass: () => void;
  later: (milliseconds: number, action: () => void) => void;
  /** Calls `action` when the page has nothing else to do, and soon in any case. */
  idle: (action: () => void) => void;
  /** The time in milliseconds, from any beginning. */
  now: () => number;
  startAt: StartAt;
  lines: Lines;
}

/**
 * `IDLE_AFTER`: milliseconds after which a browser without idle callbacks counts as idle. `IDLE_WITHIN`: milliseconds
 * after which other browsers call back even if they are busy.
 */
const IDLE_AFTER = 100;
const IDLE_WITHIN = 400;

/** The defaults of every store outside tests. */
export const ROOT_ONLY: Omit<Choice, "schedule" | "alone" | "pass" | "lines"> = {
  reducedMotion: () => false,
  later: (milliseconds, action) => void setTimeout(action, milliseconds),
  idle: (action) => void (typeof requestIdleCallback === "undefined" ? setTimeout(action, IDLE_AFTER) : requestIdleCallback(action, { timeout: IDLE_WITHIN })),
  now: () => performance.now(),
  startAt: { branch: null, step: null },
};

/** The functions of the browser that a store uses, and the place at which it opens. Tests supply their own. */

import type { Lines } from "./lines.ts";

export interface StartAt {
  branch: string | null;
  step: number | null;
}

export interface Choice {
  reducedMotion: () => boolean;
  /**
   * Calls `draw` when the running task ends, if `atOnce` is true and nothing was drawn since the last paint; else
   * before the next paint.
   */
  schedule: (draw: () => void, atOnce?: boolean) => void;
  /** Calls `draw` before a paint for which nothing else is drawn. */
  alone: (draw: () => void) => void;
  /** Keeps all drawing out of the next paint. */
  pass: () => void;
  later: (milliseconds: number, action: () => void) => void;
  /** Calls `action` when the page has nothing else to do, and soon in any case. */
  idle: (action: () => void) => void;
  /** The time in milliseconds since an arbitrary moment. */
  now: () => number;
  startAt: StartAt;
  lines: Lines;
}

/**
 * Milliseconds until `idle` calls its action: `IDLE_AFTER` in a browser without `requestIdleCallback`; at most
 * `IDLE_WITHIN` in other browsers, even if they are busy.
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

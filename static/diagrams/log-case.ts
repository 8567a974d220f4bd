/** A log case is made of real files: it has lanes, and neither producers, brokers, a network nor a clock. */

import type { Frame, Step } from "../player/frame.ts";

/** `profile` is `log` for a log case and a Kafka profile otherwise (docs/frame.md, header). */
export function isLogCase(frame: Frame): boolean {
  return frame.header.profile === "log";
}

/** A step that no log contains: a remedy on a copy (engine/codec/log_preview.py). */
export function isPreview(step: Step | null): step is Step {
  return step?.key.startsWith("log.preview.") === true;
}

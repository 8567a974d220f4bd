/**
 * Recognises log cases. A log case is made from the files of real logs: it has no producers, brokers, network or clock.
 */

import type { Frame, Step } from "../player/frame.ts";

/** Whether a frame is of a log case: its `profile` is `log` and no Kafka profile (docs/frame.md, header). */
export function isLogCase(frame: Frame): boolean {
  return frame.header.profile === "log";
}

/**
 * Whether a step of a log case is not from the files, but previews a remedy on a copy (engine/codec/log_preview.py).
 */
export function isPreview(step: Step | null): step is Step {
  return step?.key.startsWith("log.preview.") === true;
}

/** A log case is made of real files: it has lanes, and neither producers, brokers, a network nor a clock. */

import type { Frame } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { folded } from "./element.ts";

/** `profile` is `log` for a log case and a Kafka profile otherwise (docs/frame.md, header). */
export function isLogCase(frame: Frame): boolean {
  return frame.header.profile === "log";
}

/** A panel that files have nothing for. */
export function notInFiles(title: string) {
  return folded(title, say("diagram.log_case"));
}

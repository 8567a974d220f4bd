/** What a timer of a client is called. */

import { say } from "../player/text.ts";

export function timerWord(kind: string): string {
  return say(`diagram.timer.kind.${kind}`);
}

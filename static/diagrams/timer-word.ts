/** The name of a client's timer, and of what it runs for. */

import type { ClientBatchView, Frame, View } from "../player/frame.ts";
import { say } from "../player/text.ts";
import type { RunningTimer } from "../player/timers.ts";
import { serialsText } from "./batch.ts";

export function timerWord(kind: string): string {
  return say(`diagram.timer.kind.${kind}`);
}

/** What a timer runs for: a batch is named by its records (`r1–r3`), as in sentences; any other subject by its id. */
export function ownSubject({ view, previousView }: Frame, { actor, timer }: Pick<RunningTimer, "actor" | "timer">): string {
  const of = (one: View | null): ClientBatchView | undefined => one?.clients?.[actor]?.batches[timer.subject];
  const batch = of(view) ?? of(previousView);
  return batch === undefined || batch.serials.length === 0 ? timer.subject : serialsText(batch.serials);
}

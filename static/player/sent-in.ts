/** A message to break in a beat: one that is on its way where a reader is set down. Pure, no DOM. */

import type { Beat } from "./beats.ts";
import type { Lines } from "./lines.ts";

/** The last message that leaves in the beat, up to where its reader is set down; null where none does. */
export function sentIn(lines: Pick<Lines, "step">, branch: string, { first, lands }: Pick<Beat, "first" | "lands">): { step: number; id: number } | null {
  for (let step = lands; step >= first; step--) {
    const sent = lines.step(branch, step)?.messages.find(({ event }) => event === "sent");
    if (sent !== undefined) return { step, id: sent.id };
  }
  return null;
}

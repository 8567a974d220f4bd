/** What the buttons beside and under the network say: they select a message, and from a selected one go to the next. */

import type { MessageView, Selection } from "../player/frame.ts";
import { textWidth } from "./draw.ts";

/** px of a button beside its words: edges and its key. */
const BESIDE = 34;
/** Size of the words of the way to another step, as wide as they are on average: they name a step and a message. */
const SMALL = 12 * 0.9;

/** What the button beside the network says: of the texts, the longest first, one that covers nothing of the next column's name. `width`: px of its place. */
export function shortened(texts: readonly string[], width: number, isSmall = false): string {
  return texts.find((text) => (isSmall ? textWidth(text, SMALL) : textWidth(text, 14, true)) + BESIDE <= width) ?? texts.at(-1) ?? "";
}

/** Of the one to drop. Null: the only one is selected. */
export function offerKey(selection: Selection | null | undefined, underWay: number): string | null {
  if (selection?.kind !== "message" || underWay === 0) return "stage.act.offer";
  return underWay > 1 ? "stage.act.offer_next" : null;
}

/** `Fetch ×2` and `Metadata`: messages without a place in the picture; of the selected one, where it goes. */
export function awayNames(away: readonly Pick<MessageView, "id" | "api" | "to">[], selection: Selection | null | undefined): string[] {
  const selected = selection?.kind === "message" ? away.find(({ id }) => String(id) === selection.id) : undefined;
  if (selected !== undefined) return [`${selected.api} → ${selected.to}`];
  const counts = new Map<string, number>();
  for (const { api } of away) counts.set(api, (counts.get(api) ?? 0) + 1);
  return [...counts].map(([api, count]) => (count === 1 ? api : `${api} ×${count}`));
}

/** The one to select: after the selected one the next. */
export function nextAway<T extends Pick<MessageView, "id">>(away: readonly T[], selection: Selection | null | undefined): T | undefined {
  const at = selection?.kind === "message" ? away.findIndex(({ id }) => String(id) === selection.id) : -1;
  return away[(at + 1) % Math.max(1, away.length)];
}

/**
 * The texts of the buttons beside and under the network: a press selects a message, and from a selected one goes to the
 * next.
 */

import type { MessageView, Selection } from "../player/frame.ts";
import { textWidth } from "./draw.ts";

/** px of a button besides its words: for its edges and its key. */
const BESIDE = 34;
/**
 * The effective size of letters of the smaller button that names a step and a message: its words are narrower than
 * estimated.
 */
const SMALL = 12 * 0.9;

/**
 * The first text, longest first, with which the button beside the network does not cover the name of the next column;
 * else the last. `width`: px of its place.
 */
export function shortened(texts: readonly string[], width: number, isSmall = false): string {
  return texts.find((text) => (isSmall ? textWidth(text, SMALL) : textWidth(text, 14, true)) + BESIDE <= width) ?? texts.at(-1) ?? "";
}

/** The key of the button's text: to select a message, or the next one. Null: the only message is selected. */
export function offerKey(selection: Selection | null | undefined, underWay: number): string | null {
  if (selection?.kind !== "message" || underWay === 0) return "stage.act.offer";
  return underWay > 1 ? "stage.act.offer_next" : null;
}

/**
 * The messages without a place in the picture: `Fetch ×2` and `Metadata`; if one of them is selected, its name and
 * receiver.
 */
export function awayNames(away: readonly Pick<MessageView, "id" | "api" | "to">[], selection: Selection | null | undefined): string[] {
  const selected = selection?.kind === "message" ? away.find(({ id }) => String(id) === selection.id) : undefined;
  if (selected !== undefined) return [`${selected.api} → ${selected.to}`];
  const counts = new Map<string, number>();
  for (const { api } of away) counts.set(api, (counts.get(api) ?? 0) + 1);
  return [...counts].map(([api, count]) => (count === 1 ? api : `${api} ×${count}`));
}

/** The message that a press selects: the one after the selected one, else the first. */
export function nextAway<T extends Pick<MessageView, "id">>(away: readonly T[], selection: Selection | null | undefined): T | undefined {
  const at = selection?.kind === "message" ? away.findIndex(({ id }) => String(id) === selection.id) : -1;
  return away[(at + 1) % Math.max(1, away.length)];
}

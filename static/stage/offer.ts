/**
 * Composes the texts, in the line below the picture, about messages without a place, and finds the message that a press
 * there selects.
 */

import type { MessageView, Selection } from "../player/frame.ts";

/**
 * The texts that name the messages without a place in the picture: `Fetch ×2` and `Metadata`. If one of them is
 * selected, only that one, with its receiver.
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

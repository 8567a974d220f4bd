/**
 * The texts of the line under the picture about messages without a place, and the message that a press on it selects.
 */

import type { MessageView, Selection } from "../player/frame.ts";

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

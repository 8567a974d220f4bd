/** Opens a run at a step that an address names and that is not made yet. */

import type { BeatWalk } from "./beat-walk.ts";
import type { JsonObject } from "./frame.ts";
import type { PlayerStore } from "./store.ts";

export const defaults = {
  /** The most steps that opening a page makes. */
  made: 2000,
};

export interface Notice {
  key: string;
  params: JsonObject;
}

/**
 * Makes the steps up to `asked` and goes there; a question on the way stops it. Returns a notice if the run has no such
 * step, or not yet; else null.
 */
export async function goToAsked(store: PlayerStore, walk: BeatWalk, asked: number): Promise<Notice | null> {
  const from = store.newest;
  if (asked <= from) return null;
  await walk.goTo(Math.min(asked, from + defaults.made));
  const params = { asked, step: store.newest };
  if (!store.canGrow && store.newest < asked) return { key: "player.asked.over", params };
  return asked > from + defaults.made ? { key: "player.asked.far", params } : null;
}

/** Opens a run at a step that an address names and that is not made yet. */

import type { BeatWalk } from "./beat-walk.ts";
import type { JsonObject } from "./frame.ts";
import type { PlayerStore } from "./store.ts";

export const defaults = {
  /** Steps that opening a page makes at most. */
  made: 2000,
};

export interface Notice {
  key: string;
  params: JsonObject;
}

/**
 * Makes the steps up to the one that was asked for, and goes there; a question on the way stops it. Returns what to say
 * if the run has no such step, or not yet.
 */
export async function goToAsked(store: PlayerStore, walk: BeatWalk, asked: number): Promise<Notice | null> {
  const from = store.newest;
  if (asked <= from) return null;
  await walk.goTo(Math.min(asked, from + defaults.made));
  const params = { asked, step: store.newest };
  if (!store.canGrow && store.newest < asked) return { key: "player.asked.over", params };
  return asked > from + defaults.made ? { key: "player.asked.far", params } : null;
}

/** Opens a run at the step that the address of the page names, if that step is not made yet. */

import type { BeatWalk } from "./beat-walk.ts";
import type { JsonObject } from "./frame.ts";
import type { PlayerStore } from "./store.ts";

export const defaults = {
  /** The most steps that are made when a page is opened. */
  made: 2000,
};

export interface Notice {
  key: string;
  params: JsonObject;
}

/**
 * If step `asked` is not made yet, makes the steps up to it, at most `made`, and goes there; stops before a question.
 * Returns a notice if the run has no such step, or if it is too far; else null.
 */
export async function goToAsked(store: PlayerStore, walk: BeatWalk, asked: number): Promise<Notice | null> {
  const from = store.newest;
  if (asked <= from) return null;
  await walk.goTo(Math.min(asked, from + defaults.made));
  const params = { asked, step: store.newest };
  if (!store.canGrow && store.newest < asked) return { key: "player.asked.over", params };
  return asked > from + defaults.made ? { key: "player.asked.far", params } : null;
}

/** The table of what each key needs. If that is missing, the page says so instead of doing nothing. Pure. */

import type { Frame, Selection } from "./frame.ts";
import type { KeyAction } from "./keys.ts";
import { isShown, PANELS } from "./panels.ts";

/** The state of the page on which the needs of keys depend. */
export interface Present {
  /** Whether this page can change the run: not in a recording, and not while it follows a presentation. */
  live: boolean;
  follows: boolean;
  /** Whether this page has an audience: a hand can be raised, or shown to the presenter. */
  meets: boolean;
  share: string;
  selection: Selection | null;
  frame: Frame | undefined;
  /** The number of beats to which the number keys go; 0: they open panels. */
  beats: number;
}

type Need = (page: Present, key: string) => string | null;

const live: Need = (page) => (page.live ? null : page.follows ? "player.nothing_to.followed" : "player.nothing_to.recorded");

const panel: Need = (page, key) => (PANELS.some((row) => row.key === key && isShown(row.tag, page.frame)) ? null : "player.nothing_to.panel");

const NEEDS: Partial<Record<KeyAction, Need>> = {
  branch: live,
  message: live,
  drop: (page, key) => live(page, key) ?? (page.selection === null ? "player.nothing_to.drop" : null),
  breakpoints: live,
  run_to_breakpoint: live,
  back_to_breakpoint: live,
  compare: live,
  share: (page) => (page.share === "" ? "player.nothing_to.share" : null),
  follow: (page) => (page.follows ? null : "player.nothing_to.follow"),
  hand: (page) => (page.meets ? null : "player.nothing_to.hand"),
  number: (page, key) => (page.beats === 0 ? panel(page, key) : Number(key) <= page.beats ? null : "player.nothing_to.number"),
  stage: panel,
};

/** The catalogue key of what is missing; null if nothing is. */
export function lacks(action: KeyAction, key: string, page: Present): string | null {
  return NEEDS[action]?.(page, key) ?? null;
}

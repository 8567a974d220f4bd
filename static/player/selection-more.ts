/** Makes the rows of the list of actions that change nothing in the run: go to a time, search, set a breakpoint. */

import type { Selection } from "./frame.ts";
import { lookingOf } from "./looking.ts";
import { aboutIt, endOf } from "./selection-about.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

export interface More {
  name: string;
  means: string;
  act: () => void;
}

/** The rows that move the reader: for a timer, to the virtual time at which it ends. Empty in a recording. */
export function movesWith(selection: Selection, store: PlayerStore): More[] {
  if (!store.source.live) return [];
  const found: More[] = [];
  const until = endOf(selection, store.frame?.view ?? null);
  if (until !== null) {
    found.push({ name: say("more.run_until"), means: say("more.run_until.means", { until }), act: () => void store.runToTime(until) });
  }
  if (hasArrived(selection, store)) {
    const step = store.shown - 1;
    found.push({ name: say("more.before_arrival", { step }), means: say("more.before_arrival.means"), act: () => store.moveTo(step) });
  }
  return found;
}

/**
 * The rows that search for steps about the thing, and that set a breakpoint at them. Empty in a recording, which can be
 * searched only by words.
 */
export function findsWith(selection: Selection, store: PlayerStore): More[] {
  const about = aboutIt(selection);
  const looking = lookingOf(store);
  if (!store.source.live || about === null || looking === null) return [];
  const { search, breakpoints } = looking;
  const stop = breakpoints.has(about)
    ? { name: say("more.no_stop"), means: say("more.no_stop.means"), act: () => breakpoints.remove(about) }
    : { name: say("more.stop"), means: say("more.stop.means"), act: () => void breakpoints.add(about) };
  return [stop, { name: say("more.search"), means: say("more.search.means"), act: () => search.start([about]) }];
}

/** Whether the step on show delivered the selected message, so that no action applies to it any more. */
function hasArrived({ kind, id }: Selection, store: PlayerStore): boolean {
  return kind === "message" && (store.frame?.step?.messages ?? []).some((fate) => fate.event === "delivered" && String(fate.id) === id);
}

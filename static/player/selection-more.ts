/** What can be done with a selected thing beside changing the world: look for it, stop at it, wait for it. */

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

export function moreWith(selection: Selection, store: PlayerStore): More[] {
  const found: More[] = [];
  const until = endOf(selection, store.frame?.view ?? null);
  const { live } = store.source;
  if (until !== null && live) {
    found.push({ name: say("more.run_until"), means: say("more.run_until.means", { until }), act: () => void store.runToTime(until) });
  }
  if (live && hasArrived(selection, store)) {
    const step = store.shown - 1;
    found.push({ name: say("more.before_arrival", { step }), means: say("more.before_arrival.means"), act: () => store.moveTo(step) });
  }
  const about = aboutIt(selection);
  const looking = lookingOf(store);
  if (about === null || looking === null) return found;
  const { search, breakpoints } = looking;
  // A recording is searched by its words alone, and nothing runs in it.
  if (!live) return found;
  if (breakpoints.has(about)) {
    found.push({ name: say("more.no_stop"), means: say("more.no_stop.means"), act: () => breakpoints.remove(about) });
  } else {
    found.push({ name: say("more.stop"), means: say("more.stop.means"), act: () => void breakpoints.add(about) });
  }
  found.push({ name: say("more.search"), means: say("more.search.means"), act: () => search.start([about]) });
  return found;
}

/** The step on show delivered this message, so that nothing can be done to it any more. */
function hasArrived({ kind, id }: Selection, store: PlayerStore): boolean {
  return kind === "message" && (store.frame?.step?.messages ?? []).some((fate) => fate.event === "delivered" && String(fate.id) === id);
}

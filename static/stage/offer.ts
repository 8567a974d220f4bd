/** What the button beside the network says: it selects a message to drop, and from a selected one goes to the next. Null: the only one is selected. */

import type { Selection } from "../player/frame.ts";

export function offerKey(selection: Selection | null | undefined, underWay: number): string | null {
  if (selection?.kind !== "message" || underWay === 0) return "stage.act.offer";
  return underWay > 1 ? "stage.act.offer_next" : null;
}

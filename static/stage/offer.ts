/** What the button beside the network says: it selects a message to drop, and from a selected one goes to the next. */

import type { Selection } from "../player/frame.ts";

export function offerKey(selection: Selection | null | undefined, underWay: number): string {
  return selection?.kind === "message" && underWay > 1 ? "stage.act.offer_next" : "stage.act.offer";
}

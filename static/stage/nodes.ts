/**
 * What a picture has only in runs with a middleware, or with services and their database: it comes with the first frame of such a
 * run (`nodes-drawn.ts`), and nothing is drawn before.
 */

import type { Frame } from "../player/frame.ts";
import type { Layer, Places, Size, StagePlan } from "./contract.ts";
import type { nodeTag } from "./middleware-tag.ts";
import { planOf } from "./outline.ts";

export interface Nodes {
  middleware: Layer;
  beside: Layer;
  places: (plan: StagePlan, size: Size) => Places;
  tag: typeof nodeTag;
}

/** Empty until they are there. */
export const NODES: Partial<Nodes> = {};

/** Whether this frame cannot be drawn yet. */
export function lacksNodes(frame: Frame): boolean {
  const { middleware, services, database } = frame.view;
  const isKnown = middleware?.participants !== undefined || services !== undefined || database !== undefined || (planOf(frame)?.middleware?.participants ?? []).length > 0;
  return isKnown && NODES.middleware === undefined;
}

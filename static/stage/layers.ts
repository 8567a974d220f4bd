/** What the stage is made of, in the order in which it is drawn within one depth. */

import type { Layer } from "./contract.ts";

export const LAYERS: readonly Layer[] = [];

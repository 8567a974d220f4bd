/** The layers of the stage, in the order in which they are drawn within one depth. */

import { brokers, controller, heads, tool } from "./brokers.ts";
import type { Layer } from "./contract.ts";
import { connectionLayer } from "./connections.ts";
import { ghostLayer } from "./ghosts.ts";
import { LATER } from "./later.ts";
import { leapLayer } from "./leap.ts";
import { networkLayer } from "./network.ts";
import { producers } from "./producers.ts";
import { readers } from "./readers.ts";
import { tagLayer } from "./tag.ts";

const middleware: Layer = (...drawn) => LATER.nodes?.middleware(...drawn) ?? [];
const beside: Layer = (...drawn) => LATER.nodes?.beside(...drawn) ?? [];

export const LAYERS: readonly Layer[] = [heads, producers, controller, tool, brokers, readers, middleware, beside, leapLayer, connectionLayer, networkLayer, ghostLayer, tagLayer];

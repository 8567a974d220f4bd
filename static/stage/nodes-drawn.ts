/** Puts the nodes of a middleware, services and their database into the picture (`nodes.ts`). */

import "../player/player.ts";
import { beside } from "./beside.ts";
import { middleware } from "./middleware.ts";
import { middlewarePlaces } from "./middleware-places.ts";
import { nodeTag } from "./middleware-tag.ts";
import type { Nodes } from "./nodes.ts";
import { NODES } from "./nodes.ts";

const drawn: Nodes = { middleware, beside, places: middlewarePlaces, tag: nodeTag };
Object.assign(NODES, drawn);

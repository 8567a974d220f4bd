/** Registers the drawing of the nodes of a middleware and of services and their database (`later.ts`). */

import "../player/player.ts";
import { beside } from "./beside.ts";
import { LATER } from "./later.ts";
import { middleware } from "./middleware.ts";
import { middlewarePlaces } from "./middleware-places.ts";
import { nodeTag } from "./middleware-tag.ts";
import { besideWing, wingObjects, wingOf } from "./wing.ts";

LATER.nodes = { middleware, beside, places: middlewarePlaces, tag: nodeTag, wing: { room: besideWing, of: wingOf, objects: wingObjects } };

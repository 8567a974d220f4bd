/** Gives upright pictures their places (`later.ts`). */

import "../player/player.ts";
import { LATER } from "./later.ts";
import { chipLane, phonePlaces, rowLane } from "./places-phone.ts";

LATER.phone = { places: phonePlaces, rowLane, chipLane };

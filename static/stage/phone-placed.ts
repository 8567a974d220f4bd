/** Gives upright pictures their places, and what stands under them (`later.ts`). */

import "../player/player.ts";
import { LATER } from "./later.ts";
import { chipLane, phonePlaces, rowLane } from "./places-phone.ts";
import { cellsText, footOf } from "./under-phone.ts";

LATER.phone = { places: phonePlaces, rowLane, chipLane, foot: footOf, cells: cellsText };

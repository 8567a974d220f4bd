/** Gives upright pictures their places (`phone.ts`). */

import "../player/player.ts";
import { PHONE } from "./phone.ts";
import { chipLane, phonePlaces, rowLane } from "./places-phone.ts";

Object.assign(PHONE, { places: phonePlaces, rowLane, chipLane });

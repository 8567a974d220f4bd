/** Gives upright pictures their places, what they alone draw, and what stands under them (`later.ts`). */

import "../player/player.ts";
import { chipOf, howBelow, isOnAnswer, lowComparison, uprightSize } from "./drawn-phone.ts";
import { LATER } from "./later.ts";
import { chipLane, phonePlaces, rowLane } from "./places-phone.ts";
import { footOf, under } from "./under-phone.ts";

LATER.phone = { places: phonePlaces, rowLane, chipLane, chip: chipOf, comparison: lowComparison, how: howBelow, isSaid: isOnAnswer, tagSize: uprightSize, foot: footOf, under };

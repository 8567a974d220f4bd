/** Registers the places of upright pictures, the parts that only they draw, and the lines below them (`later.ts`). */

import "../player/player.ts";
import { chipOf, howBelow, isOnAnswer, lowComparison, uprightSize } from "./drawn-phone.ts";
import { onWay } from "./envelope-phone.ts";
import { chipName, rowGates, rowName } from "./lanes-phone.ts";
import { LATER } from "./later.ts";
import { inGap, inRow, notedAside } from "./network-phone.ts";
import { chipLane, phonePlaces, rowLane } from "./places-phone.ts";
import { uprightBody } from "./producers-phone.ts";
import { besideChip, chipsIn, farFromClient, headsIn, isOverAnother, underCoordinator } from "./tag-phone.ts";
import { footOf, under } from "./under-phone.ts";

LATER.phone = {
  places: phonePlaces, rowLane, chipLane, chip: chipOf, comparison: lowComparison, how: howBelow, isSaid: isOnAnswer, tagSize: uprightSize, foot: footOf, under,
  noted: notedAside, gap: inGap, inRow, onWay, chipName, rowName, rowGates, producer: uprightBody, besideChip, chips: chipsIn, farFromClient, heads: headsIn, isOverAnother, underCoordinator,
};

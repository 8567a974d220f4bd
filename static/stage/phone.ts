/** The places of an upright picture: they come with the first one (`phone-placed.ts`), and nothing is drawn before. */

import type { Size } from "./contract.ts";
import type { chipLane, phonePlaces, rowLane } from "./places-phone.ts";

interface Phone {
  places: typeof phonePlaces;
  rowLane: typeof rowLane;
  chipLane: typeof chipLane;
}

/** Empty until they are there. */
export const PHONE = {} as Phone;

/** Whether a picture of this size cannot be drawn yet. */
export function lacksPhone({ form }: Size): boolean {
  return form === "phone" && !("places" in PHONE);
}

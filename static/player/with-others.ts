/** Loads the parts for presenting and following, with hands and polls. */

import "./player.ts";
import "./hands.ts";
import "./poll.ts";

export { Company } from "./company.ts";

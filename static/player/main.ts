/** Everything that a page of eosviz may contain: the player, and what needs a site around it. */

import "./offline.ts";
import { submitAtOnce } from "./submit-at-once.ts";

if (document.querySelector("eos-compare") !== null) void import("./compare.ts");
submitAtOnce(document);

/** Loads the part that asks questions before the decisions of a run. */

import "./player.ts";
import "./predict.ts";

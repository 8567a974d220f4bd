/** The part for the questions that a run asks before its decisions. */

import "./player.ts";
import "./predict.ts";

/** What a run with questions asks before its decisions. */

import "./player.ts";
import "./predict.ts";

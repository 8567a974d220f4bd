/** Loads the dialogs that need a site: the choice of a run to compare with, and sharing. */

import "./player.ts";
import "./compare-with.ts";
import "./share.ts";

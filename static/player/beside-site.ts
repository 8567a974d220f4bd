/** The dialogs that need a site: the choice of what to compare a run with, and sharing. */

import "./player.ts";
import "./compare-with.ts";
import "./share.ts";

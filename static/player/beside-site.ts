/** The dialogs that need a site: what to compare a run with, and how to share it. */

import "./player.ts";
import "./compare-with.ts";
import "./share.ts";

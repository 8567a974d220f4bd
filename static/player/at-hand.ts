/** What opens over the page: what can be done with a thing, *Why?*, what a run means, a search, what was taken back, the keys. */

import "./player.ts";
import "../stage/chain-marks.ts";
import "./help.ts";
import "./lesson.ts";
import "./looking-marks.ts";
import "./looking.ts";
import "./selection-bar.ts";
import "./why.ts";

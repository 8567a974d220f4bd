/** What opens over the page: what can be done with a thing, *Why?*, what a run means, the keys. */

import "./player.ts";
import "./help.ts";
import "./lesson.ts";
import "./selection-bar.ts";
import "./why.ts";

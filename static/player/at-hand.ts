/**
 * Loads the parts that open over the page: the list of actions on a thing, *Why?*, the meaning of a run, the search,
 * the bar that undoes changes, the keys, the steps of a beat, the meaning of a term; and the projector's camera.
 */

import "./player.ts";
import "../stage/camera.ts";
import "../stage/chain-marks.ts";
import "./beat-list.ts";
import "./help.ts";
import "./lesson.ts";
import "./looking-marks.ts";
import "./looking.ts";
import "./selection-bar.ts";
import "./term-note.ts";
import "./why.ts";

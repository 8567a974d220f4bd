/**
 * The parts that open over the page: the list of actions on a thing, *Why?*, the meaning of a run, a search, the undone
 * changes, the keys, the steps of a beat, the meaning of a term. With them, the projector's camera.
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

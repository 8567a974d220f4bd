/** Loads the parts that play a recorded file. On the site, only published replays and log cases need them. */

import "./player.ts";

export { FileSource } from "./file-source.ts";

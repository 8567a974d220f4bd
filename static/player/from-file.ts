/** What plays a recorded file: on a page of the site only published replays and log cases need it. */

import "./player.ts";

export { FileSource } from "./file-source.ts";

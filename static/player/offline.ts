/** The entry point of the script in a file that plays offline: the player without the parts that need a site. */

import "./everywhere.ts";
import { besideStage } from "./fetched.ts";

besideStage.from(() => import("./beside-stage.ts"));

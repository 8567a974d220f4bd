/** The player alone, for a file that plays offline. */

import "./everywhere.ts";
import { besideStage } from "./fetched.ts";

besideStage.from(() => import("./beside-stage.ts"));

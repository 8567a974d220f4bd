/** The player alone, as a file that plays offline has it. */

import "./everywhere.ts";
import { besideStage } from "./fetched.ts";

besideStage.from(() => import("./beside-stage.ts"));

/** The player alone, as a file that plays offline has it: importing a part defines its element. */

import "../styles/all.css";
import "./panels.ts";
import "./player.ts";
import { atHand, besideStage, nodesDrawn, phonePlaced, withOthers, withQuestions } from "./fetched.ts";
import { applyTheme, currentTheme } from "./page.ts";

atHand.from(() => import("./at-hand.ts"));
besideStage.from(() => import("./beside-stage.ts"));
phonePlaced.from(() => import("../stage/phone-placed.ts"));
nodesDrawn.from(() => import("../stage/nodes-drawn.ts"));
withOthers.from(() => import("./with-others.ts"));
withQuestions.from(() => import("./with-questions.ts"));
applyTheme(currentTheme());

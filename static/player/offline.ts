/** The player alone, as a file that plays offline has it: importing a part defines its element. */

import "../styles/all.css";
import "./panels.ts";
import "./player.ts";
import { atHand, besideStage, nodesDrawn, withOthers } from "./fetched.ts";
import { applyTheme, currentTheme } from "./page.ts";

atHand.bring = () => import("./at-hand.ts");
besideStage.bring = () => import("./beside-stage.ts");
nodesDrawn.bring = () => import("../stage/nodes-drawn.ts");
withOthers.bring = () => import("./with-others.ts");
applyTheme(currentTheme());

/**
 * Imports the player with the parts that it has on a page of the site as well as in a file that plays offline.
 * Importing a part defines its element.
 */

import "../styles/all.css";
import "./panels.ts";
import "./player.ts";
import { atHand, fromFile, nodesDrawn, phonePlaced, withQuestions } from "./fetched.ts";
import { applyTheme, currentTheme } from "./page.ts";

atHand.from(() => import("./at-hand.ts"));
fromFile.from(() => import("./from-file.ts"));
phonePlaced.from(() => import("../stage/phone-placed.ts"));
nodesDrawn.from(() => import("../stage/nodes-drawn.ts"));
withQuestions.from(() => import("./with-questions.ts"));
applyTheme(currentTheme());

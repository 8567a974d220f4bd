/** The player alone, as a file that plays offline has it: importing a part defines its element. */

import "../styles/all.css";
import "./panels.ts";
import "./guide.ts";
import "./player.ts";
import "./trail-element.ts";
import { applyTheme, currentTheme } from "./page.ts";

applyTheme(currentTheme());

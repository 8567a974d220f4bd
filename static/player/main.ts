/** Everything that a page of eosviz may contain: importing a part defines its element. */

import "../styles/all.css";
import "./panels.ts";
import "./guide.ts";
import "./player.ts";
import "./trail-element.ts";
import { applyTheme, currentTheme } from "./page.ts";
import { submitAtOnce } from "./submit-at-once.ts";

if (document.querySelector("eos-compare") !== null) void import("./compare.ts");
applyTheme(currentTheme());
submitAtOnce(document);

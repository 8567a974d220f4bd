/** The page of the builder. */

import "./builder.ts";
import { applyTheme, currentTheme } from "../player/page.ts";

applyTheme(currentTheme());

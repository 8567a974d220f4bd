/** The entry point of the script on pages of the site: the player, and the parts that need a site. */

import "./everywhere.ts";
import { besideStage, withOthers } from "./fetched.ts";
import { submitAtOnce } from "./submit-at-once.ts";

besideStage.from(async () => (await Promise.all([import("./beside-stage.ts"), import("./beside-site.ts")]))[0]);
withOthers.from(() => import("./with-others.ts"));

const parts = [["eos-compare", () => import("./compare.ts")], ["eos-guide", () => import("./guide.ts")], ["eos-trail", () => import("./trail-element.ts")]] as const;
for (const [tag, bring] of parts) if (document.querySelector(tag) !== null) void bring();
submitAtOnce(document);

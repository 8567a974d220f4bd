/** The texts of the stage, of panels and of the engine, for tests of the stage. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { words } from "../../player/text.ts";
import { readTexts } from "../diagrams/fixture.ts";

const FOLDERS = ["eosviz/catalogue", "engine/explain/catalogue"];

export function speakStage(): void {
  const files = FOLDERS.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith(".toml")).map((name) => readTexts(join(folder, name))));
  for (const language of ["en", "zh-Hans"] as const) words.learn(language, { texts: Object.assign({}, ...files.map((file) => file[language])), sources: {} });
  words.use("en");
}

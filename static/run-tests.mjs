// Builds every `*.test.ts` under static/ and runs it with Node's own test runner.
// EOSVIZ_TEST_RESULTS names a file for the results as JUnit XML.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const STATIC = dirname(fileURLToPath(import.meta.url));
// The built tests lie inside node_modules, so that Node finds the packages that are not bundled into them.
const BUILT = join(STATIC, "..", "node_modules", ".eosviz-tests");

function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !relative(STATIC, file).startsWith("dist"))
    .sort();
}

rmSync(BUILT, { recursive: true, force: true });
mkdirSync(BUILT, { recursive: true });
await build({
  entryPoints: testFiles(STATIC),
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  sourcemap: "inline",
  outdir: BUILT,
  outbase: STATIC,
  outExtension: { ".js": ".mjs" },
  logLevel: "error",
});

const built = readdirSync(BUILT, { recursive: true })
  .filter((name) => name.endsWith(".mjs"))
  .map((name) => join(BUILT, name))
  .sort();
const reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"];
if (process.env.EOSVIZ_TEST_RESULTS) {
  reporters.push("--test-reporter=junit", `--test-reporter-destination=${process.env.EOSVIZ_TEST_RESULTS}`);
}
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...reporters, ...built], {
  stdio: "inherit",
});
process.exit(run.status ?? 1);

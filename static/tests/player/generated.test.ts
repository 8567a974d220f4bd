import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

test("the types of what goes between server and page are those of the schema", async () => {
  const maker = pathToFileURL("static/make-types.mjs").href;
  const { FILE, types } = (await import(maker)) as { FILE: URL; types: () => Promise<string> };
  assert.equal(await readFile(FILE, "utf-8"), await types(), "make schema");
});

/** What a branch is called, and what of it is in the opened files. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { stepsInFiles } from "../../player/branch-name.ts";
import type { BranchInfo } from "../../player/source.ts";

const branch = (id: string, parent: string | null, leaves_at: number, said?: object): [string, BranchInfo] => [id, { id, parent, leaves_at, name: id, said } as unknown as BranchInfo];

test("the steps of a preview, and of what follows it, are not in the files", () => {
  const said = { key: "branch.preview", params: {} };
  const branches = new Map([branch("log", null, 0, said), branch("remedy", "log", 10, said), branch("onward", "remedy", 12, said)]);
  assert.equal(stepsInFiles(branches, "log"), null, "all are");
  assert.equal(stepsInFiles(branches, "remedy"), 10);
  assert.equal(stepsInFiles(branches, "onward"), 10);
});

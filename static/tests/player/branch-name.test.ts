/** What a branch is called, and what of it is in the opened files. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { branchName, branchTitle, originalOf, stepsInFiles } from "../../player/branch-name.ts";
import { originalFirst } from "../../player/beside-address.ts";
import { treeOf } from "../../player/done.ts";
import type { BranchInfo } from "../../player/source.ts";
import { words } from "../../player/text.ts";
import { branch as made } from "./fixture.ts";

const branch = (id: string, parent: string | null, leaves_at: number, said?: object): [string, BranchInfo] => [id, { id, parent, leaves_at, name: id, said } as unknown as BranchInfo];

test("the steps of a preview, and of what follows it, are not in the files", () => {
  const said = { key: "branch.preview", params: {} };
  const branches = new Map([branch("log", null, 0, said), branch("remedy", "log", 10, said), branch("onward", "remedy", 12, said)]);
  assert.equal(stepsInFiles(branches, "log"), null, "all are");
  assert.equal(stepsInFiles(branches, "remedy"), 10);
  assert.equal(stepsInFiles(branches, "onward"), 10);
});

test("a run that was changed in place left the original, which keeps its name whichever branch it is in", () => {
  words.learn("en", { texts: {
    "branch.original": "the original run", "branch.original_title": "Original run", "branch.changed_title": "Changed run {name}",
    "branch.changed": "changed run {name}", "branch.unchanged_title": "Branch {name}",
  }, sources: {} });
  const drop = [{ after: 80, intervention: { action: "drop_message" as const, message: 7 } }];
  const all = [made("1", 151, { name: "a", interventions: drop }), made("2", 140, { name: "b", parent: "1", leaves_at: 80 }), made("3", 60, { name: "c", parent: "1", leaves_at: 60 })];
  const branches = new Map(all.map((one) => [one.id, one]));
  assert.deepEqual(treeOf(all).map(({ branch: { id }, depth, parent, leavesAt }) => [id, depth, parent, leavesAt]), [["2", 0, null, 0], ["3", 1, "2", 60], ["1", 1, "2", 80]]);
  assert.equal(originalOf(branches), "2");
  assert.deepEqual(["1", "2", "3"].map((id) => branchTitle(branches, id)), ["Changed run a", "Original run", "Branch c"]);
  assert.equal(branchName(branches, "2"), "the original run");
  assert.deepEqual(originalFirst(all, "1", "2"), { left: "2", right: "1" });
  branches.set("1", { ...all[0] as BranchInfo, name: "lost ack" });
  assert.equal(branchName(branches, "1"), "changed run “lost ack”");
});

/** The name of a branch, and its steps in the opened files. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { branchName, branchTitle, briefStep, countOfSteps, originalOf, stepsInFiles } from "../../player/branch-name.ts";
import { treeOf } from "../../player/branch-tree.ts";
import type { BranchInfo } from "../../player/source.ts";
import type { PlayerStore } from "../../player/store.ts";
import { words } from "../../player/text.ts";
import { branch as made } from "./fixture.ts";

const byId = (...all: BranchInfo[]): Map<string, BranchInfo> => new Map(all.map((one) => [one.id, one]));

test("the steps of a preview, and of what follows it, are not in the files", () => {
  const said = { key: "logs.preview.abort", params: {} };
  const branches = byId(made("log", 10, { said }), made("remedy", 12, { parent: "log", leaves_at: 10, said }), made("onward", 14, { parent: "remedy", leaves_at: 12, said }));
  assert.equal(stepsInFiles(branches, "log"), null, "all are");
  assert.equal(stepsInFiles(branches, "remedy"), 10);
  assert.equal(stepsInFiles(branches, "onward"), 10);
  words.learn("en", { texts: {
    "player.of": "of {of}", "player.of_files": "of {of} ({files} in the files, {more} of a preview)",
    "player.step_brief": "step {step}/{of}", "player.step_previewed": "preview step {step}/{of}",
  }, sources: {} });
  const at = (branch: string, newest: number, shown = newest) => ({ branch, newest, shown, lines: { branches } }) as unknown as PlayerStore;
  assert.deepEqual([countOfSteps(at("log", 10)), countOfSteps(at("remedy", 12))], ["of 10", "of 12 (10 in the files, 2 of a preview)"]);
  assert.deepEqual([briefStep(at("log", 10), null), briefStep(at("remedy", 12, 9), 7), briefStep(at("remedy", 12), 9), briefStep(at("remedy", 12), 11)], ["step 10/10", "step 7 → 9/10", "preview step 2/2", "preview step 1 → 2/2"]);
});

test("a branch is called as the server says, in a sentence and as a label", () => {
  words.learn("en", { texts: {
    "branch.original": "the original run", "branch.original_title": "Original run", "branch.changed": "changed run {name}", "branch.changed_title": "Changed run {name}",
    "logs.preview.abort": "preview: it is aborted",
  }, sources: {} });
  const said = (key: string, name: string) => ({ said: { key, params: { name } } });
  const branches = byId(made("1", 9, said("branch.original", "a")), made("2", 9, said("branch.changed", "“lost ack”")), made("3", 9, said("logs.preview.abort", "")));
  assert.deepEqual(["1", "2", "3"].map((id) => branchTitle(branches, id)), ["Original run", "Changed run “lost ack”", "preview: it is aborted"]);
  assert.deepEqual(["1", "2"].map((id) => branchName(branches, id)), ["the original run", "changed run “lost ack”"]);
  assert.equal(originalOf(branches), "1");
});

test("a run that was changed in place left the original, whichever branch that is", () => {
  const drop = [{ after: 80, intervention: { action: "drop_message" as const, message: 7 } }];
  const said = (key: string) => ({ said: { key, params: {} } });
  const all = [
    made("1", 151, { interventions: drop, ...said("branch.changed") }), made("2", 140, { parent: "1", leaves_at: 80, ...said("branch.original") }),
    made("3", 60, { parent: "1", leaves_at: 60, ...said("branch.unchanged") }),
  ];
  assert.deepEqual(treeOf(all).map(({ branch: { id }, depth, parent, leavesAt }) => [id, depth, parent, leavesAt]), [["2", 0, null, 0], ["3", 1, "2", 60], ["1", 1, "2", 80]]);
});

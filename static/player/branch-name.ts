/** What a branch is called: the original run, or a changed run and its letter or the name that a person gave it. Pure. */

import { doneOnLine, treeOf } from "./done.ts";
import type { BranchInfo } from "./source.ts";
import { say } from "./text.ts";

type Branches = ReadonlyMap<string, BranchInfo>;

/** The names that branches have before a person renames them. */
const LETTERS = /^[a-z]{1,2}$/;

/** Within a sentence: `the original run`, `changed run b`. */
export function branchName(branches: Branches, id: string): string {
  return called(branches, id, "");
}

/** As a label, or where a sentence begins: `Original run`, `Changed run b`. */
export function branchTitle(branches: Branches, id: string): string {
  return called(branches, id, "_title");
}

/** The first branch that nothing was changed in; null where every branch has a change. */
export function originalOf(branches: Branches): string | null {
  return treeOf(branches.values()).find(({ branch: { id } }) => isUnchanged(branches, id))?.branch.id ?? null;
}

/** Whether nothing was changed on the way to its end. */
export function isUnchanged(branches: Branches, id: string): boolean {
  return doneOnLine(branches, id).length === 0;
}

function called(branches: Branches, id: string, form: "" | "_title"): string {
  const branch = branches.get(id);
  if (branch === undefined) return "";
  if (branch.said !== undefined) return say(branch.said.key, branch.said.params);
  const isNamed = !LETTERS.test(branch.name);
  const name = isNamed ? `“${branch.name}”` : branch.name;
  if (!isUnchanged(branches, id)) return say(`branch.changed${form}`, { name });
  if (id !== originalOf(branches)) return say(`branch.unchanged${form}`, { name });
  return isNamed ? say(`branch.original_named${form}`, { name }) : say(`branch.original${form}`);
}

/** Of a branch's steps, how many are in the opened files: those before the first preview on its line; null where none is a preview. */
export function stepsInFiles(branches: Branches, branch: string): number | null {
  let files: number | null = null;
  for (let info = branches.get(branch); info !== undefined; info = info.parent === null ? undefined : branches.get(info.parent)) {
    if (isPreview(info)) files = info.leaves_at;
  }
  return files;
}

/** Whether it shows what a remedy would do: the opened files hold nothing of it. */
export function isPreview(branch: BranchInfo | null | undefined): boolean {
  return branch != null && branch.parent !== null && branch.said !== undefined;
}

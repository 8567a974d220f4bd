/** What a branch is called: the name that a person gave it, or what it is, in the reader's language. */

import type { BranchInfo } from "./source.ts";
import { say } from "./text.ts";

export function branchName(branch: BranchInfo | null | undefined): string {
  if (branch == null) return "";
  return branch.said === undefined ? branch.name : say(branch.said.key, branch.said.params);
}

/** Of a branch's steps, how many are in the opened files: those before the first preview on its line; null where none is a preview. */
export function stepsInFiles(branches: ReadonlyMap<string, BranchInfo>, branch: string): number | null {
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

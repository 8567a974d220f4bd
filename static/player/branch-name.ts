/** What a branch is called: the name that a person gave it, or what it is, in the reader's language. */

import type { BranchInfo } from "./source.ts";
import { say } from "./text.ts";

export function branchName(branch: BranchInfo | null | undefined): string {
  if (branch == null) return "";
  return branch.said === undefined ? branch.name : say(branch.said.key, branch.said.params);
}

/** Whether it shows what a remedy would do: the opened files hold nothing of it. */
export function isPreview(branch: BranchInfo | null | undefined): boolean {
  return branch != null && branch.parent !== null && branch.said !== undefined;
}

/** What a branch is called: the name that a person gave it, or what it is, in the reader's language. */

import type { BranchInfo } from "./source.ts";
import { say } from "./text.ts";

export function branchName(branch: BranchInfo | null | undefined): string {
  if (branch == null) return "";
  return branch.said === undefined ? branch.name : say(branch.said.key, branch.said.params);
}

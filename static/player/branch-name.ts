/** The names of branches, as the server gives them, and which of a branch's steps are in the opened files. Pure. */

import { stepsOf } from "./axis-of.ts";
import { doneOnLine, isOfSession, isOriginal } from "./done.ts";
import type { BranchInfo } from "./source.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

type Branches = ReadonlyMap<string, BranchInfo>;

/** The name of a branch within a sentence: `the original run`, `changed run b`. */
export function branchName(branches: Branches, id: string): string {
  const said = branches.get(id)?.said;
  return said === undefined ? "" : say(said.key, said.params);
}

/** The name of a branch as a label, or at the beginning of a sentence: `Original run`, `Changed run b`. */
export function branchTitle(branches: Branches, id: string): string {
  const branch = branches.get(id);
  return branch !== undefined && isOfSession(branch) ? say(`${branch.said.key}_title`, branch.said.params) : branchName(branches, id);
}

/** The branch of the original run; null if every branch has a change. */
export function originalOf(branches: Branches): string | null {
  return [...branches.values()].find(isOriginal)?.id ?? null;
}

/** Whether a branch has no changes up to its end. */
export function isUnchanged(branches: Branches, id: string): boolean {
  return doneOnLine(branches, id).length === 0;
}

/** How many steps of a branch are in the opened files: those before the first preview; null if none is a preview. */
export function stepsInFiles(branches: Branches, branch: string): number | null {
  let files: number | null = null;
  for (let info = branches.get(branch); info !== undefined; info = info.parent === null ? undefined : branches.get(info.parent)) {
    if (isPreview(info)) files = info.leaves_at;
  }
  return files;
}

/**
 * How many steps there are, in words; if the last ones are a preview, also how many are in the files and how many in
 * the preview.
 */
export function countOfSteps(store: PlayerStore): string {
  const [of, files] = [stepsOf(store), stepsInFiles(store.lines.branches, store.branch)];
  return files === null ? say("player.of", { of }) : say("player.of_files", { of, files, more: of - files });
}

/**
 * The step in its part, in the files or in the preview, for a place without room for both counts. `from`: the step
 * where the reader was before; null: only the step on show is named.
 */
export function briefStep(store: PlayerStore, from: number | null): string {
  const [all, files] = [stepsOf(store), stepsInFiles(store.lines.branches, store.branch)];
  const isPreviewed = files !== null && store.shown > files;
  const before = isPreviewed ? files : 0;
  const step = from === null || from <= before ? store.shown - before : `${from - before} → ${store.shown - before}`;
  return say(isPreviewed ? "player.step_previewed" : "player.step_brief", { step, of: isPreviewed ? all - files : (files ?? all) });
}

/** Whether a branch shows what a remedy would do, which the opened files do not contain. */
export function isPreview(branch: BranchInfo | null | undefined): boolean {
  return branch != null && branch.parent !== null && !isOfSession(branch);
}

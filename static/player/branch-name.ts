/** The names of branches as the server gives them; in a log case, which steps are in the opened files. Pure. */

import { stepsOf } from "./axis-of.ts";
import { doneOnLine, isOfSession, isOriginal } from "./done.ts";
import { withAncestors } from "./lines.ts";
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

/** Whether a branch and its ancestors, as far as it follows them, have no interventions. */
export function isUnchanged(branches: Branches, id: string): boolean {
  return doneOnLine(branches, id).length === 0;
}

/**
 * In a log case, the number of a branch's steps that are in the opened files; null if none of its steps is a preview.
 */
export function stepsInFiles(branches: Branches, branch: string): number | null {
  return withAncestors(branches, branch).filter(isPreview).at(-1)?.leaves_at ?? null;
}

/**
 * The number of steps in words. If the last ones are a preview of a remedy: how many there are in all, in the files and
 * in the preview.
 */
export function countOfSteps(store: PlayerStore): string {
  const [of, files] = [stepsOf(store), stepsInFiles(store.lines.branches, store.branch)];
  return files === null ? say("player.of", { of }) : say("player.of_files", { of, files, more: of - files });
}

/**
 * The number of the step on show, short: in a log case, its number within the files or within the preview. `from`: the
 * step from which the reader came, which is named, too; null: it is not.
 */
export function briefStep(store: PlayerStore, from: number | null): string {
  const [all, files] = [stepsOf(store), stepsInFiles(store.lines.branches, store.branch)];
  const isPreviewed = files !== null && store.shown > files;
  const before = isPreviewed ? files : 0;
  const step = from === null || from <= before ? store.shown - before : `${from - before} → ${store.shown - before}`;
  return say(isPreviewed ? "player.step_previewed" : "player.step_brief", { step, of: isPreviewed ? all - files : (files ?? all) });
}

/** Whether a branch of a log case previews a remedy: its own steps are not in the opened files. */
export function isPreview(branch: BranchInfo | null | undefined): boolean {
  return branch != null && branch.parent !== null && !isOfSession(branch);
}

/** What a branch is called, as the server names it, and which of its steps are in the opened files. Pure. */

import { stepsOf } from "./axis-of.ts";
import { doneOnLine, isOfSession, isOriginal } from "./done.ts";
import type { BranchInfo } from "./source.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

type Branches = ReadonlyMap<string, BranchInfo>;

/** Within a sentence: `the original run`, `changed run b`. */
export function branchName(branches: Branches, id: string): string {
  const said = branches.get(id)?.said;
  return said === undefined ? "" : say(said.key, said.params);
}

/** As a label, or where a sentence begins: `Original run`, `Changed run b`. */
export function branchTitle(branches: Branches, id: string): string {
  const branch = branches.get(id);
  return branch !== undefined && isOfSession(branch) ? say(`${branch.said.key}_title`, branch.said.params) : branchName(branches, id);
}

/** The original run; null where every run has a change. */
export function originalOf(branches: Branches): string | null {
  return [...branches.values()].find(isOriginal)?.id ?? null;
}

/** Whether nothing was changed up to its end. */
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

/** How many steps there are; where the last ones are a preview, also how many of either kind. */
export function countOfSteps(store: PlayerStore): string {
  const [of, files] = [stepsOf(store), stepsInFiles(store.lines.branches, store.branch)];
  return files === null ? say("player.of", { of }) : say("player.of_files", { of, files, more: of - files });
}

/** Where there is no room for both counts: the step in its part, in the files or in the preview. `from`: where the reader came from. */
export function briefStep(store: PlayerStore, from: number | null): string {
  const [all, files] = [stepsOf(store), stepsInFiles(store.lines.branches, store.branch)];
  const isPreviewed = files !== null && store.shown > files;
  const before = isPreviewed ? files : 0;
  const step = from === null || from <= before ? store.shown - before : `${from - before} → ${store.shown - before}`;
  return say(isPreviewed ? "player.step_previewed" : "player.step_brief", { step, of: isPreviewed ? all - files : (files ?? all) });
}

/** Whether it shows what a remedy would do: the opened files hold nothing of it. */
export function isPreview(branch: BranchInfo | null | undefined): boolean {
  return branch != null && branch.parent !== null && !isOfSession(branch);
}

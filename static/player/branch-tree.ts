/** The tree of a session's branches. Pure, no DOM. */

import { doneOn, isOriginal } from "./done.ts";
import type { BranchInfo } from "./source.ts";

/** A branch in the tree, with the branch that it left after step `leavesAt`; `parent` null: it left none. */
export interface TreeRow {
  branch: BranchInfo;
  depth: number;
  parent: string | null;
  leavesAt: number;
}

/** The tree of branches: every branch below its parent, earlier ones first. */
export function treeOf(branches: Iterable<BranchInfo>): TreeRow[] {
  const all = placesOf([...branches]);
  const rows: TreeRow[] = [];
  const add = (place: Omit<TreeRow, "depth">, depth: number): void => {
    rows.push({ ...place, depth });
    const children = all.filter(({ parent }) => parent === place.branch.id);
    children.sort((one, other) => one.leavesAt - other.leavesAt || one.branch.id.localeCompare(other.branch.id, "en", { numeric: true }));
    for (const child of children) add(child, depth + 1);
  };
  for (const place of all) if (place.parent === null) add(place, 0);
  return rows;
}

/**
 * Each branch with the branch that it left. There is one exception: if the root itself was changed, and an unchanged
 * branch left it before the change, the tree shows that branch as the original run, and the root as having left it.
 */
function placesOf(all: readonly BranchInfo[]): Omit<TreeRow, "depth">[] {
  const known = new Map(all.map((branch) => [branch.id, branch]));
  const root = all.find(({ parent }) => parent === null || !known.has(parent));
  const original = root === undefined || doneOn(root).length === 0 ? undefined
    : all.find((branch) => branch.parent === root.id && isOriginal(branch));
  return all.map((branch) => {
    const { id, parent, leaves_at: leavesAt } = branch;
    if (original !== undefined && id === original.id) return { branch, parent: null, leavesAt: 0 };
    if (original !== undefined && id === root?.id) return { branch, parent: original.id, leavesAt: original.leaves_at };
    const leftOriginal = original !== undefined && parent === root?.id && leavesAt <= original.leaves_at;
    return { branch, parent: leftOriginal ? original.id : parent !== null && known.has(parent) ? parent : null, leavesAt };
  });
}

/** Makes the rows of the guarantee strip. Pure. */

import type { GuaranteeView, View } from "./frame.ts";
import type { BranchInfo } from "./source.ts";

export interface StripRow {
  name: string;
  isJudged: boolean;
  /**
   * How many records, producers or transactions have broken the guarantee, in this branch and up to the step on show.
   */
  count: number;
  /** The step that first breaks the guarantee in this branch, even if it is after the step on show; null: none. */
  brokenAt: number | null;
  /** Another branch that breaks the guarantee: its id, the step of the break, and its newest step; null: none. */
  elsewhere: { branch: string; step: number; newest: number } | null;
}

/**
 * The order of guarantees on every page: from the loss of records to guarantees outside of Kafka. The views of files
 * have them in alphabetical order.
 */
const ORDER = [
  "lost", "duplicated", "reordered", "visible_early", "atomic", "fenced", "hanging", "row_missing", "record_missing", "row_repeated", "mixed", "repeated",
];

/** Whether nodes of the middleware have different outcomes at this step, in a transaction that is not over. */
export function differNow({ middleware }: View): boolean {
  return Object.values(middleware?.differ ?? {}).some(({ since, until }) => since !== null && until === null);
}

/** The index of a guarantee in `ORDER`; guarantees that are not in it come last. */
const placeOf = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

/** The rows of the strip, in `ORDER`. `current`: the branch on show; `branches`: all, to find a break elsewhere. */
export function stripRows(
  guarantees: Record<string, GuaranteeView>,
  current: BranchInfo | null,
  branches: Iterable<BranchInfo>,
): StripRow[] {
  const others = [...branches].filter((branch) => branch.id !== current?.id);
  const sorted = Object.entries(guarantees).sort(([one], [other]) => placeOf(one) - placeOf(other));
  return sorted.map(([name, view]) => {
    const isJudged = view.judged !== false;
    const other = others.find((branch) => branch.first_broken[name] !== undefined);
    return {
      name,
      isJudged,
      // A view stored by an earlier release has no count, only the records of the first break.
      count: view.count ?? view.serials?.length ?? 0,
      brokenAt: view.broken_at ?? current?.first_broken[name] ?? null,
      elsewhere:
        other === undefined
          ? null
          : { branch: other.id, step: other.first_broken[name] as number, newest: other.newest },
    };
  });
}

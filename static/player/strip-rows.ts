/** The rows of the guarantee strip; pure. */

import type { GuaranteeView, View } from "./frame.ts";
import type { BranchInfo } from "./source.ts";

export interface StripRow {
  name: string;
  isJudged: boolean;
  /** The number of records, producers or transactions of this branch for which it is broken, up to the step on show. */
  count: number;
  /** Step of the first break in the current branch, whether or not it has been shown; null: none. */
  brokenAt: number | null;
  /** Another branch that breaks the guarantee: its id, the step of the break, and its newest step; null: none. */
  elsewhere: { branch: string; step: number; newest: number } | null;
}

/**
 * The order of guarantees, from the loss of records to guarantees outside of Kafka. Files sort their keys
 * alphabetically; every page uses this order.
 */
const ORDER = [
  "lost", "duplicated", "reordered", "visible_early", "atomic", "fenced", "hanging", "row_missing", "record_missing", "row_repeated", "mixed", "repeated",
];

/** Whether nodes of the middleware have different outcomes at this step, in a transaction that is not over. */
export function differNow({ middleware }: View): boolean {
  return Object.values(middleware?.differ ?? {}).some(({ since, until }) => since !== null && until === null);
}

/** The place of a guarantee in the order; guarantees without one come last. */
const placeOf = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

/** The rows, in the same order wherever the guarantees come from; pure, for tests and for the picture. */
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
      // Steps stored before views had a count contain only the first break.
      count: view.count ?? view.serials?.length ?? 0,
      brokenAt: view.broken_at ?? current?.first_broken[name] ?? null,
      elsewhere:
        other === undefined
          ? null
          : { branch: other.id, step: other.first_broken[name] as number, newest: other.newest },
    };
  });
}

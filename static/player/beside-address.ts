/**
 * The address of the comparison of two branches. It names the place from which it was opened, and its way back leads
 * there.
 */

/** The branch and step on show, and the log case from which the run was opened. */
export interface From {
  branch: string;
  shown: number;
  log?: string;
}

/** The address of the page of one run, at this step. */
export function placeIn(page: string, { branch, shown, log }: From): string {
  return `${page}?${new URLSearchParams({ branch, step: String(shown), ...namedLog(log) })}`;
}

const namedLog = (log = ""): { log?: string } => (log === "" ? {} : { log });

/** The log case that the address of a page names; "" if none. */
export const logOf = (search: string): string => new URLSearchParams(search).get("log") ?? "";

/**
 * The address of a comparison. `at`: the common step at which the page opens; without it, the first step that differs.
 * If both are branches of one session, the page shows the one with fewer changes on the left.
 */
export function besideAddress(compare: string, { left, right }: { left: string; right: string }, from: From, at?: number, log = logOf(location.search)): string {
  return `${compare}?${new URLSearchParams({ left, right, ...(at === undefined ? {} : { at: String(at) }), from: from.branch, from_step: String(from.shown), ...namedLog(log) })}`;
}

/** The place that the address of a comparison names, if it is in one of the compared branches; else null. */
export function readFrom(search: string, branches: readonly string[]): From | null {
  const asked = new URLSearchParams(search);
  const [branch, shown] = [asked.get("from") ?? "", Number(asked.get("from_step") ?? Number.NaN)];
  return branches.includes(branch) && Number.isSafeInteger(shown) && shown >= 0 ? { branch, shown, ...namedLog(logOf(search)) } : null;
}

/**
 * Makes and reads the address of the comparison of two branches. It also names the branch and step at which the reader
 * opened it, to which the page's way back leads.
 */

/** The branch and step on show when a comparison was opened, and the log case from which the run was opened, if any. */
export interface From {
  branch: string;
  shown: number;
  log?: string;
}

/** The address of the page of one run at the branch and step of a `From`. `page`: the page's address without these. */
export function placeIn(page: string, { branch, shown, log }: From): string {
  return `${page}?${new URLSearchParams({ branch, step: String(shown), ...namedLog(log) })}`;
}

const namedLog = (log = ""): { log?: string } => (log === "" ? {} : { log });

/** The log case in the query of an address; "" if it names none. */
export const logOf = (search: string): string => new URLSearchParams(search).get("log") ?? "";

/**
 * The address of a comparison of two branches. `compare`: the page's address without its query. Of two branches of one
 * session, the page shows the one with fewer changes on the left.
 */
export function besideAddress(compare: string, { left, right }: { left: string; right: string }, from: From, log = logOf(location.search)): string {
  return `${compare}?${new URLSearchParams({ left, right, from: from.branch, from_step: String(from.shown), ...namedLog(log) })}`;
}

/** The place at which a comparison was opened, from the query of its address; null if it is in none of `branches`. */
export function readFrom(search: string, branches: readonly string[]): From | null {
  const asked = new URLSearchParams(search);
  const [branch, shown] = [asked.get("from") ?? "", Number(asked.get("from_step") ?? Number.NaN)];
  return branches.includes(branch) && Number.isSafeInteger(shown) && shown >= 0 ? { branch, shown, ...namedLog(logOf(search)) } : null;
}

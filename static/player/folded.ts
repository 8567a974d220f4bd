/**
 * What a view does not list because it lies far back (`folded` of docs/websocket.md), and how far the view may be taken
 * from where it was cut. A view without `folded`, as recordings have them, lists everything.
 */

import type { FoldedLog, FoldedRecords, Selection, View } from "./frame.ts";

const NONE: FoldedLog = [];
const NO_RECORDS: FoldedRecords = { stretches: [], counts: {} };

/** The batches of a replica that are not listed: stretches in the order of their offsets. */
export function foldedLog(view: View, partition: string, replica: string | null): FoldedLog {
  return (replica === null ? undefined : view.folded?.logs?.[partition]?.[replica]) ?? NONE;
}

export function batchesIn(folded: FoldedLog): number {
  return folded.reduce((sum, [, , batches]) => sum + batches, 0);
}

export function recordsIn(folded: FoldedLog): number {
  return folded.reduce((sum, [, , , records]) => sum + records, 0);
}

export function foldedRecords(view: View): FoldedRecords {
  return view.folded?.records ?? NO_RECORDS;
}

function liesIn(stretches: readonly (readonly number[])[], number: number): boolean {
  return stretches.some(([first = 0, last = -1]) => first <= number && number <= last);
}

/** Whether a record that exists is not listed. */
export function isRecordFolded(view: View, serial: number): boolean {
  return liesIn(foldedRecords(view).stretches, serial);
}

/** Whether the view cannot show what is selected, as it lies too far back. */
export function isFoldedAway(view: View, selection: Selection | null): boolean {
  if (selection === null || view.folded === undefined) return false;
  if (selection.kind === "record" && isRecordFolded(view, Number(selection.id))) return true;
  if (selection.serials?.some((serial) => isRecordFolded(view, serial)) === true) return true;
  if (selection.kind !== "batch" || selection.partition === undefined) return false;
  const offset = Number(selection.id.slice(selection.partition.length + 1));
  return Object.values(view.folded.logs?.[selection.partition] ?? {}).some((log) => liesIn(log, offset));
}

/** Whether a change of this path is about something that is not listed: what came of it cannot be told from here. */
export function isUnlisted({ folded }: View, path: readonly string[]): boolean {
  if (folded === undefined) return false;
  const [table, name = "", part, id = "", list, entry] = path;
  if (table === "records" && folded.records !== undefined) return path.length === 1 || liesIn(folded.records.stretches, Number(name));
  if (table !== "partitions" || folded.logs === undefined) return false;
  const logs = folded.logs[name];
  if (path.length === 1 || logs === undefined) return path.length === 1;
  if (path.length === 2 || part !== "replicas") return path.length === 2;
  const log = logs[id];
  if (path.length === 3 || log === undefined) return path.length === 3;
  if (path.length === 4 || list !== "batches") return path.length === 4;
  return path.length === 5 || liesIn(log, Number(entry));
}

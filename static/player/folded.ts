/**
 * Reads which old batches and records a view leaves out (`folded` of docs/websocket.md), and whether a change is about
 * one of them. A view without `folded`, as in recordings, leaves out nothing.
 */

import type { Folded, FoldedLog, FoldedRecords, Json, Selection, View } from "./frame.ts";

export const defaults = {
  /** The number of batches at the head of a client's queue that panels draw. */
  drawn: 2,
};

const NONE: FoldedLog = [];
const NO_RECORDS: FoldedRecords = { stretches: [], counts: {} };

/** The batches that the view leaves out of a replica's log, as ranges in the order of their offsets. */
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

/** The number of records in those batches of a client's queue that the view leaves out. */
export function recordsWaiting(view: View, client: string, partition: string): number {
  return view.folded?.batches?.[client]?.[partition]?.[3] ?? 0;
}

/** Whether a client's batch exists and the view does not list it. */
function isBatchFolded(view: View, name: string): boolean {
  const [client = "", batch = ""] = name.split("/");
  if (view.folded?.batches?.[client] === undefined) return false;
  const { batches = {}, queues = {} } = view.clients?.[client] ?? {};
  return batches[batch] === undefined && Object.values(queues).some((queue) => queue.batches.includes(batch));
}

function liesIn(stretches: readonly (readonly number[])[], number: number): boolean {
  return stretches.some(([first = 0, last = -1]) => first <= number && number <= last);
}

/** Whether a record exists and the view does not list it. */
export function isRecordFolded(view: View, serial: number): boolean {
  return liesIn(foldedRecords(view).stretches, serial);
}

/** Whether the view leaves out the selected record or batch, or one of the selected records. */
export function isFoldedAway(view: View, selection: Selection | null): boolean {
  if (selection === null || view.folded === undefined) return false;
  if (selection.kind === "record" && isRecordFolded(view, Number(selection.id))) return true;
  if (selection.serials?.some((serial) => isRecordFolded(view, serial)) === true) return true;
  if (selection.kind !== "batch") return false;
  if (isBatchFolded(view, selection.id)) return true;
  if (selection.partition === undefined) return false;
  const offset = Number(selection.id.slice(selection.partition.length + 1));
  return Object.values(view.folded.logs?.[selection.partition] ?? {}).some((log) => liesIn(log, offset));
}

/**
 * Whether a change at this path is about something that the view leaves out, so that its result cannot be known from
 * the view. `value`: the value after the change; undefined: it is removed.
 */
export function isUnlisted(view: View, path: readonly string[], value: Json | undefined): boolean {
  const { folded } = view;
  if (folded === undefined) return false;
  if (path[0] === "clients") return folded.batches !== undefined && bringsNear(view, folded.batches, path, value);
  const [table, name = "", part, id = "", list, entry] = path;
  if (table === "records" && folded.records !== undefined) return path.length === 1 || liesIn(folded.records.stretches, Number(name));
  if (table !== "partitions" || folded.logs === undefined) return false;
  const logs = folded.logs[name];
  if (path.length === 1 || logs === undefined) return path.length === 1;
  // The view lists more of the leader's log than of the others.
  if (path.length === 2 || part !== "replicas") return path.length === 2 || part === "leader";
  const log = logs[id];
  if (path.length === 3 || log === undefined) return path.length === 3;
  if (path.length === 4 || list !== "batches") return path.length === 4;
  return path.length === 5 || liesIn(log, Number(entry));
}

/**
 * Whether a change is about a client's batch that the view leaves out, or brings such a batch so near to the head of
 * its queue that panels draw it. Parameters as of `isUnlisted`.
 */
function bringsNear(view: View, waiting: NonNullable<Folded["batches"]>, path: readonly string[], value: Json | undefined): boolean {
  const [, client = "", table = "", name = "", part] = path;
  const queues = waiting[client];
  if (path.length === 1 || queues === undefined) return path.length === 1;
  if (path.length < 4) return path.length === 2 || table === "batches" || table === "queues";
  const listed = view.clients?.[client]?.batches ?? {};
  if (table === "batches") {
    const isMade = path.length === 4 && value !== undefined;
    return !isMade && listed[name] === undefined;
  }
  if (table !== "queues" || queues[name] === undefined || (part !== undefined && part !== "batches")) return false;
  if (value === undefined) return true;
  const queue = part === undefined ? (value as { batches?: Json }).batches ?? [] : value;
  return (queue as string[]).slice(0, defaults.drawn).some((batch) => listed[batch] === undefined);
}

import type { Selection } from "./frame.ts";

/** The selection that the page was opened with, from the element's attributes; null: none. */
export function selectionOf(select: string, partition: string, serials: string): Selection | null {
  const [, kind, id] = /^(message|batch|partition|actor|record|timer|transaction):(.+)$/s.exec(select) ?? [];
  if (kind === undefined || id === undefined) return null;
  const selection: Selection = { kind: kind as Selection["kind"], id };
  if (partition !== "") selection.partition = partition;
  if (serials !== "") selection.serials = serials.split(".").map(Number);
  return selection;
}

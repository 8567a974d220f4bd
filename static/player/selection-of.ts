import type { Selection } from "./frame.ts";

/**
 * The selection with which the page was opened, from the player's attributes: `kind:id`, partition, and serials with
 * commas. Null if there is none.
 */
export function selectionOf(select: string, partition: string, serials: string): Selection | null {
  const [, kind, id] = /^(message|batch|partition|actor|record|timer|transaction):(.+)$/s.exec(select) ?? [];
  if (kind === undefined || id === undefined) return null;
  const selection: Selection = { kind: kind as Selection["kind"], id };
  if (partition !== "") selection.partition = partition;
  if (serials !== "") selection.serials = serials.split(".").map(Number);
  return selection;
}

/** Finds the objects of the picture that show the subjects of an answer's sentences (*why*). Pure. */

import type { Selection } from "../player/frame.ts";
import type { StageObject } from "./contract.ts";

/** For each sentence, in order, its subject; null if the sentence has no subject that can be selected. */
export type Chain = readonly (Selection | null)[];

/**
 * The object that gets the number of a sentence about this subject: the object of the subject itself; else one that
 * also shows it (`holds`); else the batch with its record; else its partition. Undefined if the picture has none of
 * them.
 */
export function objectOf(objects: readonly StageObject[], subject: Selection): StageObject | undefined {
  const seen = objects.filter(({ select, brings, width, key }) => (select ?? brings) !== undefined && width > 0 && !key.startsWith("strip:"));
  const named = (kind: string, id: string): StageObject | undefined =>
    seen.find(({ select }) => select?.kind === kind && select.id === id) ?? seen.find(({ brings }) => brings?.kind === kind && brings.id === id);
  const own = named(subject.kind, subject.id);
  if (own !== undefined) return own;
  const around = seen.find(({ holds }) => holds?.some(({ kind, id }) => kind === subject.kind && id === subject.id));
  if (around !== undefined) return around;
  const serials = subject.kind === "record" ? [Number(subject.id)] : subject.serials ?? [];
  const holding = serials.length === 0 ? undefined : seen.find(({ select }) => serials.some((serial) => select?.serials?.includes(serial) === true));
  if (holding !== undefined) return holding;
  return subject.partition === undefined ? undefined : named("partition", subject.partition);
}

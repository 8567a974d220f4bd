/**
 * The order of a step's sentences: the engine says which notes come before and after the step's own sentence. Pure, no
 * DOM.
 */

import type { Said, Step } from "./frame.ts";
import { say } from "./text.ts";

export const defaults = {
  /** The most records that are named where a guarantee breaks; the others are counted. */
  named: 3,
};

/** The first sentence of a step. */
export function leadOf(step: Step): Said {
  return step.notes[step.derived?.leads ?? -1] ?? step;
}

/**
 * The text in large letters: the leading note, if there is one, the step's own sentence, then the note that follows it.
 */
export function sentencesIn(step: Step): Said[] {
  const { leads = -1, follows = -1 } = step.derived ?? {};
  return [step.notes[leads], step, step.notes[follows]].filter((said) => said !== undefined);
}

/** The remaining notes of a step. */
export function notesOf(step: Step): Said[] {
  return step.notes.filter((_, place) => place !== step.derived?.leads && place !== step.derived?.follows);
}

/**
 * A sentence for each guarantee that the step breaks; if a marker contradicts its transaction, the sentence names the
 * marker.
 */
export function breaksIn(step: Step): string[] {
  return step.broken.map(({ guarantee, partition, serials, marker, reported, producer = "" }) => {
    const records = serials.slice(0, defaults.named).map((serial) => `r${serial}`);
    if (serials.length > records.length) records.push(`+${serials.length - records.length}`);
    const odds = [marker, reported === undefined ? undefined : reported ? "reported" : "decided"].filter((one) => one !== undefined);
    return say(["breaks", guarantee, ...odds].join("."), { partition, records, producer });
  });
}

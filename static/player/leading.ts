/**
 * Puts the sentences of a step in order: the engine says which of its notes come directly before and after the step's
 * own sentence. Pure, no DOM.
 */

import type { Said, Step } from "./frame.ts";
import { say } from "./text.ts";

export const defaults = {
  /** The most records that the sentence about a broken guarantee names; it counts the others. */
  named: 3,
};

/** The sentence with which the text of a step begins: its leading note if it has one, else its own sentence. */
export function leadOf(step: Step): Said {
  return step.notes[step.derived?.leads ?? -1] ?? step;
}

/**
 * The sentences that the page shows in large letters: the leading note, the step's own sentence, and the note that
 * follows it, as far as they exist.
 */
export function sentencesIn(step: Step): Said[] {
  const { leads = -1, follows = -1 } = step.derived ?? {};
  return [step.notes[leads], step, step.notes[follows]].filter((said) => said !== undefined);
}

/** The notes of a step that are not in `sentencesIn`. */
export function notesOf(step: Step): Said[] {
  return step.notes.filter((_, place) => place !== step.derived?.leads && place !== step.derived?.follows);
}

/**
 * A sentence for each guarantee that the step breaks, with the records. If a marker contradicts the outcome of its
 * transaction, the sentence names the marker.
 */
export function breaksIn(step: Step): string[] {
  return step.broken.map(({ guarantee, partition, serials, marker, reported, producer = "" }) => {
    const records = serials.slice(0, defaults.named).map((serial) => `r${serial}`);
    if (serials.length > records.length) records.push(`+${serials.length - records.length}`);
    const odds = [marker, reported === undefined ? undefined : reported ? "reported" : "decided"].filter((one) => one !== undefined);
    return say(["breaks", guarantee, ...odds].join("."), { partition, records, producer });
  });
}

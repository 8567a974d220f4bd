/** In which order a step is told: the engine names the note that says more than the step's own sentence. Pure, no DOM. */

import type { Said, Step } from "./frame.ts";

/** What is told first. */
export function leadOf(step: Step): Said {
  return step.notes[step.derived?.leads ?? -1] ?? step;
}

/** What stands large: the leading note, if there is one, then the step's own sentence. */
export function saidOf(step: Step): Said[] {
  const lead = leadOf(step);
  return lead === step ? [step] : [lead, step];
}

/** What else happened. */
export function notesOf(step: Step): Said[] {
  return step.notes.filter((_, place) => place !== step.derived?.leads);
}

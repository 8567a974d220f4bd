/** Why an answer is right or wrong: one line for each thing that the engine checked. */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Step } from "./frame.ts";
import type { Reason } from "./questions.ts";
import { sentencesIn } from "./leading.ts";
import { say } from "./text.ts";

export function reasonList(reasons: readonly Reason[]): TemplateResult {
  return html`<ul>${reasons.map(
    (reason) => html`<li>${say(reason.key, reason.params)} ${reason.outcome === null ? nothing : html`<b>${say(`predict.outcome.${reason.outcome}`)}</b>`}
      ${reason.rule === null ? nothing : html`<span class="quiet">${reason.rule}</span>`}</li>`,
  )}</ul>`;
}

/** The reasons that the sentence of the step on show does not state itself. */
export function unsaid(reasons: readonly Reason[], step: Step | null): Reason[] {
  const said = new Set(step === null ? [] : sentencesIn(step).map(({ key }) => key));
  return reasons.filter(({ key }) => !said.has(key));
}

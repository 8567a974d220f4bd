/** What the page has to say beside the run: something failed, or the link that led here was made for another version. */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

/** `fault`: words that could not be had. `dismissChanged`: puts the note about the link away; null when there is none. */
export function messages(store: PlayerStore, fault: string | null, dismissChanged: (() => void) | null): TemplateResult | typeof nothing {
  const problem = store.problem;
  if (problem !== null) {
    const remedy = problem.remedyKey === null ? "" : say(problem.remedyKey, problem.params);
    return html`<div class="message" role="alert"><p><b>${say(problem.key, problem.params)}</b> ${remedy}</p>${close(() => store.dismiss())}</div>`;
  }
  if (fault !== null) return html`<div class="message" role="alert"><p>${fault}</p></div>`;
  if (dismissChanged === null) return nothing;
  return html`<div class="message" role="status"><p>${say("player.link_changed")}</p>${close(dismissChanged)}</div>`;
}

function close(act: () => void): TemplateResult {
  return html`<button aria-label=${say("player.close")} @click=${act}>✕</button>`;
}
